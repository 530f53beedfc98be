import { Held } from "./held.ts";
import type { Content, Item, SessionChanges } from "./item.ts";
import { limits } from "./limits.ts";
import type { Link } from "./link.ts";
import { type Delivery, isExpired, type Message, sizeOf } from "./message.ts";
import type { Subscription } from "./subscriptions.ts";
import type { TopicFilter } from "./topics.ts";

/** The clock of a broker, and its totals over all sessions. */
export interface SessionTotals {
  readonly now: () => number;
  /** The bytes of all messages from clients and for clients: waiting, not acknowledged, or not released. */
  kept: number;
  /** The number of messages that were dropped because a client was too slow or away for too long. */
  dropped: number;
}

/** The state of a client that the broker keeps, even while the client is away (MQTT 4.1). */
export class Session {
  readonly key: string;
  readonly filters = new Map<string, { readonly filter: TopicFilter; readonly subscription: Subscription }>();
  readonly #totals: SessionTotals;
  /** Messages of QoS 2 from the client that it has not released. */
  readonly inbound: Held;
  readonly #outgoing = new Map<number, Item>();
  /** Numbers of messages to resend after the client reconnects, or to send when they are stored, before all others. */
  #again = new Set<number>();
  #queue: Item[] = [];
  #queuedBytes = 0;
  #lastId = 0;
  #places = 0;
  #awaitsStore = false;
  #link: Link | undefined;
  /** The journal of a durable session; absent for a session that ends with its process. */
  journal: SessionChanges | undefined;
  /** True when no client may use the session any more. */
  isOver = false;
  /** True when its subscriptions were granted by other rules, or by another process: they are decided anew when its client connects. */
  needsRecheck = false;

  constructor(key: string, totals: SessionTotals) {
    this.key = key;
    this.#totals = totals;
    this.inbound = new Held(totals);
  }

  get link(): Link | undefined {
    return this.#link;
  }

  /** Attaches the client's connection, and resends all messages that the client has not acknowledged, in order [MQTT-4.4.0-1]. */
  attach(link: Link): void {
    this.#link = link;
    this.#again = new Set(this.#outgoing.keys());
    this.pump();
  }

  detach(): void {
    this.#link = undefined;
  }

  /** Delivers a message, now or when the client can take it. Without a connection a message of QoS 0 is lost. */
  deliver(delivery: Delivery): void {
    if (delivery.qos > 0) {
      this.#enqueue(delivery);
      this.pump();
    } else if (this.#link === undefined || this.#link.isFull) this.#totals.dropped += this.#link === undefined ? 0 : 1;
    else this.#link.publish(delivery, undefined, false);
  }

  /** Sends waiting messages, as far as the client accepts them. */
  pump(): void {
    const link = this.#link;
    if (link === undefined) return;
    this.#sendAgain(link);
    while (this.#again.size === 0 && this.#queue.length > 0 && this.#outgoing.size < link.window && !link.isFull) {
      const item = this.#begin();
      if (item === undefined) continue;
      if (this.#mustBeStored(item)) this.#sendStored(link);
      else if (!this.#send(item, link)) this.#settle(item.id);
    }
  }

  /** Takes the next message and gives it a number; undefined when the message has expired. */
  #begin(): Item | undefined {
    const item = this.#dequeue();
    if (item === undefined) return undefined;
    if (isExpired(item.delivery.message, this.#totals.now())) {
      this.journal?.removed(item);
      return undefined;
    }
    item.id = this.#freeId();
    this.#outgoing.set(item.id, item);
    this.#totals.kept += sizeOf(item.delivery.message);
    this.journal?.changed(item);
    return item;
  }

  /** True when the item must be stored first: by its number the client recognises a repeated message of QoS 2. */
  #mustBeStored({ delivery, stored }: Item): boolean {
    return this.journal !== undefined && delivery.qos === 2 && stored !== "all";
  }

  /** Gives numbers to all messages that the client accepts now, and sends them when they are stored. */
  #sendStored(link: Link): void {
    while (this.#queue.length > 0 && this.#outgoing.size < link.window) this.#begin();
    for (const [id, { wasSent }] of this.#outgoing) if (!wasSent) this.#again.add(id);
    this.#pumpStored();
  }

  #pumpStored(): void {
    if (this.#awaitsStore) return;
    this.#awaitsStore = true;
    this.journal?.after(() => {
      this.#awaitsStore = false;
      this.pump();
    });
  }

  /** Sends a message; false when it is too large for the client. */
  #send(item: Item, link: Link): boolean {
    const isAgain = item.wasSent;
    item.wasSent = true;
    return link.publish(item.delivery, item.id, isAgain);
  }

  #sendAgain(link: Link): void {
    for (const id of this.#again) {
      if (link.isFull || this.#outgoing.size - this.#again.size >= link.window) return;
      const item = this.#outgoing.get(id);
      if (item !== undefined && !item.isReceived && this.#mustBeStored(item)) {
        this.#pumpStored();
        return;
      }
      this.#again.delete(id);
      if (item?.isReceived) link.acknowledge({ cmd: "pubrel", messageId: id });
      else if (item !== undefined && !this.#send(item, link)) this.#settle(id);
    }
  }

  /** Notes that the client has received a message of QoS 1, or that an exchange of QoS 2 is complete. */
  acknowledged(cmd: "puback" | "pubcomp", id: number): void {
    const isIt = this.#outgoing.get(id)?.delivery.qos === (cmd === "puback" ? 1 : 2);
    if (isIt) this.#settle(id);
    this.pump();
  }

  /** Notes that the client has received a message of QoS 2, or refused it; false when none has this number. */
  received(id: number, isRefused: boolean): boolean {
    const item = this.#outgoing.get(id);
    if (item === undefined || item.delivery.qos !== 2) return false;
    if (isRefused) this.#settle(id);
    else if (!item.isReceived) {
      item.isReceived = true;
      this.journal?.changed(item);
    }
    if (isRefused) this.pump();
    return true;
  }

  /** Calls `work` when all changes so far are stored; at once for a session that is not durable. */
  whenStored(work: () => void): void {
    if (this.journal === undefined) work();
    else this.journal.after(work);
  }

  /** Calls `work` as `whenStored` does, but does not wait for a store that is away. */
  whenTried(work: () => void): void {
    if (this.journal === undefined) work();
    else this.journal.tried(work);
  }

  /** The message of this number that the client has not released. */
  holding(id: number): Message | undefined {
    return this.inbound.get(id);
  }

  /** Keeps a message of QoS 2 until the client releases it; false when there is no room for it. */
  hold(id: number, message: Message): boolean {
    const isHeld = this.inbound.add(id, message);
    if (isHeld) this.journal?.held(id, message);
    return isHeld;
  }

  /** Takes the message that is published now; undefined when none has this number. */
  release(id: number): Message | undefined {
    const message = this.inbound.delete(id);
    if (message !== undefined) this.journal?.held(id, undefined);
    return message;
  }

  /** Takes stored messages into a new session, which has no client yet. */
  restore({ items, held }: Content): void {
    this.needsRecheck = true;
    for (const { delivery, place, id, isReceived } of items) {
      const item: Item = { delivery, place, id, isReceived, wasSent: id !== undefined, stored: "all" };
      this.#places = Math.max(this.#places, place);
      if (id === undefined) this.#queue.push(item);
      else this.#outgoing.set(id, item);
      const size = sizeOf(delivery.message);
      if (id === undefined) this.#count(size);
      else this.#totals.kept += size;
      this.#lastId = Math.max(this.#lastId, id ?? 0);
    }
    for (const [id, message] of held) this.inbound.restore(id, message);
  }

  /** Removes messages that are not wanted, because the client may not have them any more. */
  keepOnly(isWanted: (message: Message) => boolean): void {
    const unwanted = this.#queue.filter(({ delivery }) => !isWanted(delivery.message));
    for (const item of unwanted) this.#remove(item);
    for (const [id, { delivery, isReceived }] of [...this.#outgoing]) if (!isReceived && !isWanted(delivery.message)) this.#settle(id);
  }

  /**
   * Takes messages of shared subscriptions out of the session, so that other members get them; `only` limits this to one subscription.
   * `waiting`: those of QoS 1 not sent yet. `open`: also those of QoS 1 not acknowledged. `all`, when the session ends: also those of QoS 2
   * that the client has not seen.
   */
  takeShared(which: "waiting" | "open" | "all", only?: string): readonly Delivery[] {
    const isTaken = ({ delivery: { share, qos } }: Item): boolean =>
      share !== undefined && (only ?? share) === share && (qos === 1 || which === "all");
    const isSeen = ({ delivery: { qos }, wasSent }: Item): boolean => which === "waiting" || (qos === 2 && wasSent);
    const sent = [...this.#outgoing.values()].filter((item) => isTaken(item) && !isSeen(item));
    const waiting = this.#queue.filter(isTaken);
    for (const { id } of sent) this.#settle(id);
    for (const item of waiting) this.#remove(item);
    return [...sent, ...waiting].map(({ delivery }) => delivery);
  }

  /** Ends the session, and removes all that it keeps. */
  end(): void {
    const { journal } = this;
    this.journal = undefined;
    this.isOver = true;
    while (this.#queue.length > 0) this.#dequeue();
    for (const id of [...this.#outgoing.keys()]) this.#settle(id);
    for (const id of this.inbound.ids()) this.release(id);
    journal?.ended();
  }

  #settle(id: number | undefined): void {
    const item = id === undefined ? undefined : this.#outgoing.get(id);
    if (id === undefined || item === undefined) return;
    this.#outgoing.delete(id);
    this.#again.delete(id);
    this.#totals.kept -= sizeOf(item.delivery.message);
    this.journal?.removed(item);
  }

  #remove(item: Item): void {
    this.#queue.splice(this.#queue.indexOf(item), 1);
    this.#count(-sizeOf(item.delivery.message));
    this.journal?.removed(item);
  }

  /** Adds a message to the queue. Where there is no room, the oldest one is dropped. */
  #enqueue(delivery: Delivery): void {
    const size = sizeOf(delivery.message);
    const isFull = (): boolean =>
      this.#queue.length >= limits.queue ||
      this.#queuedBytes + size > limits.queueBytes ||
      this.#totals.kept + size > limits.allQueuesBytes;
    while (this.#queue.length > 0 && isFull()) this.#drop();
    if (isFull()) {
      this.#totals.dropped += 1;
      return;
    }
    this.#places += 1;
    const item: Item = { delivery, place: this.#places, id: undefined, isReceived: false, wasSent: false, stored: "nothing" };
    this.#queue.push(item);
    this.#count(size);
    this.journal?.changed(item);
  }

  #drop(): void {
    const item = this.#dequeue();
    if (item !== undefined) this.journal?.removed(item);
    this.#totals.dropped += 1;
  }

  #dequeue(): Item | undefined {
    const item = this.#queue.shift();
    if (item !== undefined) this.#count(-sizeOf(item.delivery.message));
    return item;
  }

  #count(bytes: number): void {
    this.#queuedBytes += bytes;
    this.#totals.kept += bytes;
  }

  /** A number that no message on its way has [MQTT-2.2.1-4]: there are more numbers than messages in a window. */
  #freeId(): number {
    do this.#lastId = (this.#lastId % 65_535) + 1;
    while (this.#outgoing.has(this.#lastId));
    return this.#lastId;
  }
}
