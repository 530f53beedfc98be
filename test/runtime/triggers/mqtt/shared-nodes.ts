import { afterEach, beforeEach } from "vitest";
import type { Bus } from "#runtime/bus/bus.ts";
import type { SessionStore } from "#runtime/store/mqtt-sessions.ts";
import { PostgresSessions } from "#runtime/store/postgres-mqtt-sessions.ts";
import { PostgresStore } from "#runtime/store/postgres-store.ts";
import { SqliteSessions } from "#runtime/store/sqlite-mqtt-sessions.ts";
import { SqliteStore } from "#runtime/store/sqlite-store.ts";
import type { Link } from "#runtime/triggers/mqtt/link.ts";
import type { Delivery } from "#runtime/triggers/mqtt/message.ts";
import type { Session } from "#runtime/triggers/mqtt/session.ts";
import type { Opened } from "#runtime/triggers/mqtt/session-broker.ts";
import { SharedBroker } from "#runtime/triggers/mqtt/shared/shared-broker.ts";
import { parseFilter } from "#runtime/triggers/mqtt/topics.ts";
import { crew, postgres, type Service } from "../../bus/buses.ts";

/** One process of several. */
export interface SharedNode {
  readonly bus: Bus;
  readonly broker: SharedBroker;
  /** Wills of clients of other processes that it has published. */
  readonly wills: string[];
  isDead: boolean;
}

/** Processes that share a store and a bus, in one process. */
export interface SharedPlace {
  readonly node: () => Promise<SharedNode>;
  /** The store of the sessions, as a process reaches it. */
  readonly store: () => SessionStore;
  /** The process ends without a word: it writes and says nothing more. */
  readonly kill: (node: SharedNode) => void | Promise<void>;
  readonly close: () => Promise<void>;
}

/** Workers of one machine, with a file of SQLite in memory. */
export function sharedPlace(): SharedPlace {
  const store = new SqliteStore(":memory:", 100_000_000, Date.now);
  return placeOf(
    crew(),
    () => new SqliteSessions(store, () => undefined),
    () => store.close(),
  );
}

/** The place of a test, and two processes in it. */
interface GivenNodes {
  readonly place: SharedPlace;
  readonly nodes: readonly [SharedNode, SharedNode];
}

/** Makes workers of one machine for each test of a file. */
export function nodesOfTest(): () => GivenNodes {
  let given: GivenNodes | undefined;
  beforeEach(async () => {
    const place = sharedPlace();
    given = { place, nodes: [await place.node(), await place.node()] };
  });
  afterEach(() => given?.place.close());
  return () => {
    if (given === undefined) throw new Error("no test runs");
    return given;
  };
}

/** Nodes that share the PostgreSQL of this machine. */
export async function postgresPlace(): Promise<SharedPlace> {
  const service = await postgres();
  return placeOf(
    service,
    () => new PostgresSessions(new PostgresStore(service.address, () => undefined)),
    () => undefined,
  );
}

function placeOf(
  service: Service & { readonly end: (node: Pick<SharedNode, "bus">) => void | Promise<void> },
  open: () => SessionStore,
  closed: () => void,
): SharedPlace {
  const nodes: SharedNode[] = [];
  const node = async (): Promise<SharedNode> => {
    let made: SharedNode | undefined;
    const sessions = mortal(open(), () => made?.isDead === true);
    const { bus } = await service.node({
      follow: (joining) => {
        const wills: string[] = [];
        const host = { organisation: "o", environment: "e", log: () => undefined, now: Date.now, monotonic: () => performance.now() };
        const broker = new SharedBroker({
          host,
          bus: joining,
          store: sessions,
          permission: () => "deliver",
          accepted: ({ topic }) => wills.push(topic),
        });
        made = { bus: joining, broker, wills, isDead: false };
      },
    });
    if (made === undefined) throw new Error(`no node for ${bus.source}`);
    nodes.push(made);
    return made;
  };
  const kill = (dead: SharedNode): void | Promise<void> => {
    dead.isDead = true;
    return service.end(dead);
  };
  const close = async (): Promise<void> => {
    for (const { broker, isDead } of nodes) if (!isDead) await broker.close();
    await service.close();
    closed();
  };
  return { node, store: open, kill, close };
}

/** A store that a process reaches as long as it lives. */
function mortal(store: SessionStore, isDead: () => boolean): SessionStore {
  const never = new Promise<never>(() => undefined);
  return {
    write: (batch) => (isDead() ? never : store.write(batch)),
    claim: (ids, epoch) => (isDead() ? never : store.claim(ids, epoch)),
    left: (owner) => (isDead() ? never : store.left(owner)),
    forget: (owner) => (isDead() ? never : store.forget(owner)),
    close: () => store.close(),
  };
}

/** A client that does what MQTT says of a receiver: a message of QoS 2 counts once for its number, until that is released. */
export class ModelClient {
  readonly name: string;
  /** All that the application was given, in order. */
  readonly got: string[] = [];
  readonly #ids = new Set<number>();
  #pending: (() => void)[] = [];
  session: Session | undefined;
  node: SharedNode | undefined;
  isTakenOver = false;

  constructor(name: string) {
    this.name = name;
  }

  /** Undefined when it was refused. */
  async connect(
    node: SharedNode,
    more: { readonly keeps?: boolean; readonly keptMs?: number; readonly will?: string; readonly delayMs?: number } = {},
  ) {
    const { keeps = true, keptMs = 60_000, will, delayMs = 0 } = more;
    this.drop();
    const bare = { topic: will ?? "", payload: Buffer.from(this.name), qos: 1, retain: false, publisher: this.name, isWill: true } as const;
    const opened = await node.broker.open({
      key: this.name,
      keeps,
      keptMs,
      rights: "key",
      will: will === undefined ? undefined : { delayMs, bare, expiryMs: undefined },
    });
    if (typeof opened === "number" || opened.session.isOver || node.isDead) return undefined;
    this.#attach(node, opened, { keptMs, will: will === undefined ? undefined : { delayMs, bare } });
    return opened;
  }

  #attach(
    node: SharedNode,
    { session }: Opened,
    { keptMs, will }: { readonly keptMs: number; readonly will: { readonly delayMs: number; readonly bare: object } | undefined },
  ): void {
    this.session = session;
    this.node = node;
    this.isTakenOver = false;
    this.#pending = [];
    const isHere = (): boolean => this.session === session && session.link === link;
    const link: Link = {
      window: 8,
      isFull: false,
      publish: (delivery, id) => {
        this.#take(delivery, id, session, isHere);
        return true;
      },
      acknowledge: ({ cmd, messageId }) => {
        if (cmd === "pubrel") this.#pending.push(() => isHere() && this.#released(messageId, session));
      },
      takeOver: () => {
        this.isTakenOver = true;
        this.#leave(node, session, keptMs, will);
      },
    };
    session.attach(link);
  }

  #leave(node: SharedNode, session: Session, keptMs: number, will: { readonly delayMs: number; readonly bare: object } | undefined): void {
    if (this.session === session) this.session = undefined;
    const receipt = { accepted: () => undefined, done: () => undefined };
    const due = will && {
      delayMs: will.delayMs,
      bytes: 1,
      publish: () => void node.broker.publish(will.bare as Parameters<SharedBroker["publish"]>[0], receipt),
    };
    node.broker.leave(session, keptMs, due);
  }

  #take({ message, qos }: Delivery, id: number | undefined, session: Session, isHere: () => boolean): void {
    const text = `${message.topic} ${message.payload}`;
    if (qos === 2 && id !== undefined) {
      if (!this.#ids.has(id)) this.got.push(text);
      this.#ids.add(id);
      this.#pending.push(() => {
        if (!isHere() || !session.received(id, false)) return;
        session.whenStored(() => isHere() && session.link?.acknowledge({ cmd: "pubrel", messageId: id }));
      });
      return;
    }
    this.got.push(text);
    if (id !== undefined) this.#pending.push(() => isHere() && session.acknowledged("puback", id));
  }

  #released(id: number, session: Session): void {
    this.#ids.delete(id);
    session.acknowledged("pubcomp", id);
  }

  /** Answers the first so many packets that wait. */
  answer(count = Number.POSITIVE_INFINITY): void {
    for (const work of this.#pending.splice(0, count)) work();
  }

  get waits(): boolean {
    return this.#pending.length > 0;
  }

  /** The connection breaks, or ends with its session kept; `will` is not published. */
  drop(keptMs = 60_000): void {
    const { session, node } = this;
    this.session = undefined;
    this.#pending = [];
    if (session !== undefined && node !== undefined && !node.isDead && session.link !== undefined) node.broker.leave(session, keptMs);
  }

  /** Resolves when the subscription is stored. */
  async subscribe(text: string, qos: 0 | 1 | 2): Promise<void> {
    const { session, node } = this;
    const filter = parseFilter(text);
    if (session === undefined || node === undefined || filter === undefined) throw new Error("no session");
    node.broker.subscribe(session, filter, { qos, noLocal: false, retainAsPublished: false });
    await new Promise<void>((resolve) => session.whenTried(resolve));
  }
}

/** Publishes a message; resolves when it is acknowledged. */
export function publish(node: SharedNode, topic: string, text: string, more: { readonly qos?: 0 | 1 | 2; readonly retain?: boolean } = {}) {
  const message = { topic, payload: Buffer.from(text), qos: more.qos ?? 1, retain: more.retain ?? false };
  return new Promise<string>((resolve) => void node.broker.publish(message, { accepted: () => undefined, done: resolve }));
}
