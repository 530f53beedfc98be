import { createServer, connect as dial, type Server, type Socket } from "node:net";
import type { Bus, BusMessage, Heard, Kept } from "#runtime/bus/bus.ts";
import { CrewBus } from "#runtime/bus/crew-bus.ts";
import { type FromWorker, Hub, type ToWorker } from "#runtime/bus/hub.ts";
import { LocalBus } from "#runtime/bus/local-bus.ts";
import { PostgresBus } from "#runtime/bus/postgres-bus.ts";
import type { usualTimes } from "#runtime/bus/times.ts";
import { createHost } from "#runtime/process/host.ts";
import { PostgresStore } from "#runtime/store/postgres-store.ts";
import { ownSchema } from "../../harness/peers/postgres-schema.ts";
import { server } from "../../harness/peers/postgres-server.ts";

/** One process of a service, and what it hears of the kind `t`. */
export interface Node {
  readonly bus: Bus;
  readonly heard: Heard[];
  readonly bodies: () => readonly string[];
  /** The state that it was given at last. */
  readonly restored: () => readonly Kept[];
  readonly gone: { readonly source: string; readonly heir: string | undefined }[];
  readonly log: string[];
}

export interface NodeOptions {
  readonly times?: Partial<typeof usualTimes>;
  /** Adds followers, before the process hears anything. */
  readonly follow?: (bus: Bus) => void;
}

/** Processes that hear each other. */
export interface Service {
  readonly name: string;
  readonly node: (options?: NodeOptions) => Promise<Node>;
  readonly close: () => Promise<void>;
}

/** A service in PostgreSQL, whose connections can be broken. */
export interface PostgresService extends Service {
  /** The node loses its connection for ever, as if it were killed. */
  readonly end: (node: Pick<Node, "bus">) => Promise<void>;
  /** The address of the database by way of a relay. */
  readonly address: string;
  readonly query: (text: string) => Promise<readonly Record<string, unknown>[]>;
  /** Breaks all connections of nodes; while `isAway` no node can connect. */
  readonly cut: (isAway?: boolean) => void;
  readonly back: () => void;
  /** Passes nothing on while it is true; connections stay. */
  readonly stall: (isStalled: boolean) => void;
}

export const message = (body: unknown, more: Partial<BusMessage> = {}): BusMessage => ({ kind: "t", body: JSON.stringify(body), ...more });

function follow(bus: Bus, log: string[] = []): Node {
  const heard: Heard[] = [];
  let restored: readonly Kept[] = [];
  const gone: { source: string; heir: string | undefined }[] = [];
  bus.follow("t", {
    hear: (one) => heard.push(one),
    restore: (kept) => {
      restored = kept;
    },
    gone: (source, heir) => gone.push({ source, heir }),
  });
  return { bus, heard, bodies: () => heard.map(({ body }) => body), restored: () => restored, gone, log };
}

/** Workers of one first process, whose messages go as JSON, as between processes. */
export function crew(): Service & { readonly end: (node: Pick<Node, "bus">) => void } {
  const upstream = new LocalBus({ source: "first", workers: true });
  const hub = new Hub(upstream, () => undefined);
  const numbers = new Map<Bus, number>();
  const ended = new Set<number>();
  let count = 0;
  return {
    name: "workers",
    node: async ({ follow: followers } = {}) => {
      count += 1;
      const number = count;
      let take: (line: ToWorker) => void = () => undefined;
      hub.began(
        number,
        (line) => setImmediate(() => ended.has(number) || take(JSON.parse(JSON.stringify(line)) as ToWorker)),
        () => undefined,
      );
      const bus = new CrewBus({
        say: (line) => setImmediate(() => ended.has(number) || hub.take(number, JSON.parse(JSON.stringify(line)) as FromWorker)),
        hears: (given) => {
          take = given;
        },
      });
      numbers.set(bus, number);
      const node = follow(bus);
      followers?.(bus);
      await bus.join();
      return node;
    },
    end: ({ bus }) => {
      ended.add(numbers.get(bus) ?? 0);
      hub.ended(numbers.get(bus) ?? 0);
    },
    close: async () => hub.close(),
  };
}

/** Nodes that share a schema of the database of this machine. */
export async function postgres(): Promise<PostgresService> {
  const { client, address: url, drop } = await ownSchema(server ?? "", "bus");
  const relay = await relayTo(new URL(url));
  url.host = `127.0.0.1:${relay.port}`;
  const buses: Bus[] = [];
  const stores = new Map<Bus, PostgresStore>();
  return {
    name: "nodes",
    address: url.href,
    node: async ({ times = {}, follow: followers } = {}) => {
      const log: string[] = [];
      const host = createHost({ env: {}, log: (level, msg) => log.push(`${level} ${msg}`) });
      const store = new PostgresStore(url.href, () => undefined);
      // A busy machine may leave a question without an answer for long: only tests about that look at it.
      const bus = new PostgresBus({ host, store, release: () => store.close(), times: { unanswered: 600_000, ...times } });
      buses.push(bus);
      stores.set(bus, store);
      const node = follow(bus, log);
      followers?.(bus);
      await bus.join();
      return node;
    },
    end: async ({ bus }) => {
      const store = stores.get(bus);
      if (store !== undefined) store.single = () => Promise.reject(new Error("this node is dead"));
      await client.query("SELECT pg_terminate_backend(pid) FROM pw_bus_nodes WHERE source = $1", [bus.source]);
    },
    query: async (text) => (await client.query(text)).rows,
    cut: relay.cut,
    back: relay.back,
    stall: relay.stall,
    close: async () => {
      relay.back();
      relay.stall(false);
      await Promise.all(buses.map((bus) => bus.close()));
      relay.close();
      await drop();
    },
  };
}

interface Relay {
  readonly port: number;
  readonly cut: (isAway?: boolean) => void;
  readonly back: () => void;
  readonly stall: (isStalled: boolean) => void;
  readonly close: () => void;
}

/** Passes connections on, until they are cut. */
async function relayTo(url: URL): Promise<Relay> {
  const sockets = new Set<Socket>();
  const pairs = new Set<() => void>();
  let isAway = false;
  let isStalled = false;
  const relay: Server = createServer((near) => {
    if (isAway) {
      near.destroy();
      return;
    }
    const far = dial(Number(url.port || 5432), url.hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on("error", () => other.destroy());
      one.on("close", () => {
        sockets.delete(one);
        other.destroy();
      });
    }
    const pass = (): void => {
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const)
        if (isStalled) one.unpipe(other).pause();
        else one.pipe(other);
    };
    pairs.add(pass);
    near.on("close", () => pairs.delete(pass));
    pass();
  });
  await new Promise<void>((resolve) => relay.listen(0, "127.0.0.1", resolve));
  const bound = relay.address();
  return {
    port: bound !== null && typeof bound === "object" ? bound.port : 0,
    cut: (away = false) => {
      isAway = away;
      for (const socket of sockets) socket.destroy();
    },
    back: () => {
      isAway = false;
    },
    stall: (stalled) => {
      isStalled = stalled;
      for (const pass of pairs) pass();
    },
    close: () => relay.close(),
  };
}
