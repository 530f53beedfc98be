import { type Bus, type Follower, type Heard, isOf, type Kept } from "../../../bus/bus.ts";
import type { SessionStore } from "../../../store/mqtt-sessions.ts";
import type { Broker } from "../broker.ts";
import type { Message } from "../message.ts";
import type { Reason } from "../reasons.ts";
import type { Permission } from "../rules.ts";
import type { Session } from "../session.ts";
import type { DueWill, Opened, Opening, Receipt, SessionBroker } from "../session-broker.ts";
import type { Subscription } from "../subscriptions.ts";
import type { TopicFilter } from "../topics.ts";
import { type Placed, placedOf } from "./arrivals.ts";
import { Directory, type WillEntry } from "./directory.ts";
import { sharedFor } from "./fold.ts";
import type { Chooser } from "./groups.ts";
import { Holdings } from "./holdings.ts";
import { InheritedWills } from "./inherited-wills.ts";
import type { JournalsHost } from "./journals.ts";
import { decode, kind, type OpenedNotice, type Published, type Rights, roleOf } from "./notices.ts";
import { Receipts } from "./receipts.ts";
import { Speaker } from "./speaker.ts";

export interface SharedOptions {
  readonly host: JournalsHost;
  readonly bus: Bus;
  readonly store: SessionStore;
  /** Decides about the will of a client of another process. */
  readonly permission: (rights: Rights, topic: string) => Permission;
  /** Called when the will of a client of another process was published: runs the interface of its topic. */
  readonly accepted: (message: Message) => void;
}

/**
 * The broker of a process among others, or of a process with durable sessions (docs/internals/mqtt.md). Each session is at one process,
 * which all processes know. Published messages go by the bus to all processes, in one order, and each process delivers them to its own
 * sessions.
 */
export class SharedBroker implements SessionBroker, Follower {
  readonly #options: SharedOptions;
  readonly #bus: Bus;
  readonly #speaker: Speaker;
  readonly #directory: Directory;
  readonly #holdings: Holdings;
  readonly #wills: InheritedWills;
  readonly #receipts = new Receipts();
  readonly #choose: Chooser = (...of) => this.#directory.groups.choose(...of);
  #position = 0;
  #isEnding = false;

  constructor(options: SharedOptions) {
    const { host, bus, store } = options;
    this.#options = options;
    this.#bus = bus;
    this.#speaker = new Speaker(bus, host);
    this.#directory = new Directory(host);
    this.#holdings = new Holdings({
      host,
      bus,
      store,
      directory: this.#directory,
      speaker: this.#speaker,
      position: () => this.#position,
    });
    this.#wills = new InheritedWills(host, (will) => this.#publishWill(will));
    bus.follow(kind, this);
  }

  /** The broker of the sessions of this process alone. */
  get local(): Broker {
    return this.#holdings.local;
  }

  /** True while so much waits for the other processes that publishers should wait. */
  get isFull(): boolean {
    return this.#speaker.isFull;
  }

  open(opening: Opening): Promise<Opened | Reason> {
    return this.#holdings.open(opening);
  }

  leave(session: Session, askedMs: number, will?: DueWill): void {
    // When this process ends, the others detect that and handle its sessions.
    if (this.#isEnding && !this.#bus.alone) session.detach();
    else this.#holdings.leave(session, askedMs, will);
  }

  subscribe(session: Session, filter: TopicFilter, subscription: Subscription): boolean {
    const isGranted = this.local.subscribe(session, filter, subscription);
    if (isGranted && filter.group !== undefined) this.#holdings.tellShares(session);
    return isGranted;
  }

  unsubscribe(session: Session, text: string): boolean {
    const was = this.local.unsubscribe(session, text);
    if (!was || !this.#directory.groups.textsOf(session.key).includes(text)) return was;
    this.#holdings.tellShares(session);
    this.#holdings.sharing.giveBack(session.takeShared("waiting", text));
    return was;
  }

  replay(session: Session, filter: TopicFilter, subscription: Subscription): void {
    this.local.replay(session, filter, subscription);
  }

  settled(): Promise<void> | undefined {
    return this.#bus.settled();
  }

  publish(message: Message, receipt: Receipt): Promise<void> | undefined {
    if (message.isWill !== true && !this.local.admits(message.topic)) {
      receipt.done("too many topics");
      return undefined;
    }
    if (this.#bus.alone && message.isWill !== true && !message.retain) {
      const outcome = this.local.send(message);
      receipt.accepted();
      if (message.qos === 0) receipt.done(outcome);
      else this.#holdings.journals.after(() => receipt.done(outcome));
      return undefined;
    }
    const will = message.isWill === true ? this.#holdings.get(message.publisher ?? "")?.name : undefined;
    if (message.isWill === true && will === undefined) return undefined;
    const copy = message.retain && !this.local.retained.hasRoom(message) ? { ...message, retain: false } : message;
    const number = this.#receipts.add(receipt);
    const wait = this.#speaker.tell({ t: "message", message: copy, number, ...(will === undefined ? {} : { will }) });
    return wait ?? this.#receipts.room();
  }

  /** Retains a message of an earlier version, unless the topic has a newer one. */
  retainEarlier(message: Message): void {
    if (this.local.retained.has(message.topic) || !this.local.retained.hasRoom(message)) return;
    void this.#speaker.tell({ t: "message", message, isRetainedOnly: true });
  }

  /** Called before the process ends and clients are disconnected. */
  willEnd(): void {
    this.#isEnding = true;
  }

  /** Resolves when all changes so far are stored. */
  stored(): Promise<void> {
    return new Promise((resolve) => this.#holdings.journals.after(resolve));
  }

  async close(): Promise<void> {
    this.#isEnding = true;
    this.#wills.clear();
    await this.#holdings.close();
  }

  hear(heard: Heard): void {
    if (heard.when !== "early") this.#position = Math.max(this.#position, heard.position);
    const notice = decode(heard.body, this.#options.host);
    switch (notice?.t) {
      case "message":
        this.#hearMessage(heard, notice);
        return;
      case "open":
        this.#hearOpen(heard, notice);
        return;
      case "left":
        this.#directory.left(heard, notice);
        return;
      case "shares":
        this.#directory.shares(notice);
        return;
      case "end":
        this.#directory.end(notice);
        this.#wills.cancel(notice.name);
        return;
      case "given":
        this.#directory.given(notice);
        this.#holdings.arrivals.given(notice.key, notice.name);
    }
  }

  restore(kept: readonly Kept[]): void {
    for (const { key, name } of this.#directory.restore(kept)) void this.#speaker.tell({ t: "end", key, name });
    this.local.retained.clear();
    for (const { keep, body, position } of kept) {
      this.#position = Math.max(this.#position, position);
      const notice = roleOf(keep) === "retained" ? decode(body, this.#options.host) : undefined;
      if (notice?.t === "message") this.local.retained.keep(notice.message);
    }
    // A missed notice may have given a session to another process.
    this.#holdings.loseOld();
  }

  gone(source: string, heir: string | undefined, position: number): void {
    this.#position = Math.max(this.#position, position);
    const { sessions, wills, awaited } = this.#directory.gone(source, heir, position);
    if (this.#isEnding) return;
    if (isOf(this.#bus.source, source)) {
      this.#holdings.loseAll();
      this.#wills.clear();
      return;
    }
    this.#holdings.arrivals.gone(source, heir);
    if (heir !== this.#bus.source) return;
    this.#holdings.inherit(sessions, source);
    for (const { entry, awaits } of awaited) {
      const { name, to, position: opened } = awaits;
      if (to !== heir) this.#holdings.arrivals.forward(entry, { key: entry.key, name, position: opened, keeps: true });
    }
    for (const will of wills) this.#wills.add(will);
  }

  #hearMessage({ source, position, when }: Heard, notice: Published): void {
    const { message, number = 0, will } = notice;
    const isOurs = source === this.#bus.source && number > 0;
    // A will is published once, even if several processes try.
    const isVoid = will !== undefined && when !== "late" && this.#directory.voidWill(will) === undefined;
    if (will !== undefined) this.#wills.cancel(will);
    if (!isVoid) {
      if (message.retain) this.local.retained.keep(message);
      if (when !== "late" && notice.share === undefined && !notice.isRetainedOnly) this.local.route(message);
      if (when !== "early") this.#place(placedOf(notice, position, this.#choose));
    }
    if (when !== "late" && !isVoid && isOurs) this.#receipts.accepted(number);
    // Until it has a place in the order, a message is not acknowledged, so that its client keeps it.
    if (when !== "early" && isOurs) this.#receipts.placed(number, ({ done }) => this.#done(done));
  }

  /** When no other process has the message in a log, it has to be stored for the sessions that wait for it. */
  #done(done: Receipt["done"]): void {
    if (this.#bus.alone) this.#holdings.journals.after(() => done("delivered"));
    else done("delivered");
  }

  /**
   * Handles that a message has its place in the order of all processes. Shared subscriptions wait for this, because all processes choose
   * the same member by the place.
   */
  #place(placed: Placed): void {
    this.#holdings.arrivals.hear(placed);
    for (const { key, text } of placed.shares) {
      const session = this.#holdings.get(key)?.session;
      const delivery = session === undefined ? undefined : sharedFor(session, placed.message, text);
      if (delivery !== undefined) session?.deliver(delivery);
    }
  }

  #hearOpen({ source, position, when }: Heard, notice: OpenedNotice): void {
    const { key, name, keeps } = notice;
    const epoch = when === "early" ? undefined : position;
    const before = this.#directory.open(source, epoch, notice);
    for (const will of this.#directory.willsOf(key)) {
      if (will.name === name || !this.#wills.has(will.name)) continue;
      if (keeps) void this.#speaker.tell({ t: "end", key, name: will.name });
      else this.#wills.hurry(will);
    }
    if (source !== this.#bus.source) this.#holdings.giveAway({ key, name, keeps, position }, before);
    else if (when === "late") this.#holdings.confirm({ ...notice, epoch, before });
    else this.#holdings.take({ ...notice, epoch, before });
  }

  /** Publishes the will of a client whose process has ended. */
  #publishWill({ key, name, bare, expiryMs, rights }: WillEntry): void {
    const permission = this.#options.permission(rights, bare.topic);
    const expiry = expiryMs === undefined ? {} : { expiresAt: this.#options.host.monotonic() + expiryMs };
    if (permission === "deliver" || permission === "run") this.#options.accepted(bare);
    if (permission === "deliver") void this.#speaker.tell({ t: "message", message: { ...bare, ...expiry }, will: name });
    else void this.#speaker.tell({ t: "end", key, name });
  }
}
