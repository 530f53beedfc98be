import { limits } from "./limits.ts";
import { type Delivery, isExpired, type Message, sizeOf } from "./message.ts";
import type { Ack } from "./packets.ts";
import type { Subscription } from "./subscriptions.ts";
import type { TopicFilter } from "./topics.ts";

/** The connection of a session's client. */
export interface Link {
  /** Messages of QoS 1 and 2 that the client takes before it has acknowledged one. */
  readonly window: number;
  /** True while the socket takes no more. */
  readonly isFull: boolean;
  /** False for a message that the client does not take, since it is too large: it counts as delivered. */
  readonly publish: (delivery: Delivery, id: number | undefined, isAgain: boolean) => boolean;
  readonly acknowledge: (ack: Ack) => void;
  /** Somebody else has connected as this client: ends the connection. */
  readonly takeOver: () => void;
}

/** A message of QoS 1 or 2 that its client has not acknowledged; `isReceived` when only the end of the exchange is missing. */
interface Outgoing {
  readonly delivery: Delivery;
  isReceived: boolean;
}

/** The parts that all sessions of a broker share. */
export interface Surroundings {
  readonly now: () => number;
  /** Bytes of all that is kept for clients or from them: what waits, what is not acknowledged, what is not released. */
  kept: number;
  /** Messages that were dropped since a client was too slow or away for too long. */
  dropped: number;
}

/** The state of a client that the broker keeps, also while it is away (MQTT 4.1). */
export class Session {
  readonly key: string;
  readonly filters = new Map<string, { readonly filter: TopicFilter; readonly subscription: Subscription }>();
  readonly #around: Surroundings;
  /** Messages of QoS 2 from the client that it has not released. */
  readonly #held = new Map<number, Message>();
  #heldBytes = 0;
  readonly #outgoing = new Map<number, Outgoing>();
  /** The messages to send once more, after their client has come back. */
  #again = new Set<number>();
  #queue: Delivery[] = [];
  #queuedBytes = 0;
  #lastId = 0;
  #link: Link | undefined;

  constructor(key: string, around: Surroundings) {
    this.key = key;
    this.#around = around;
  }

  get link(): Link | undefined {
    return this.#link;
  }

  /** The client is there (again): what it has not acknowledged is sent once more, in order [MQTT-4.4.0-1]. */
  attach(link: Link): void {
    this.#link = link;
    this.#again = new Set(this.#outgoing.keys());
    this.pump();
  }

  detach(): void {
    this.#link = undefined;
  }

  /** A message for the client, now or when it can take it. Without connection one of QoS 0 is lost. */
  deliver(delivery: Delivery): void {
    if (delivery.qos > 0) {
      this.#enqueue(delivery);
      this.pump();
    } else if (this.#link === undefined || this.#link.isFull) this.#around.dropped += this.#link === undefined ? 0 : 1;
    else this.#link.publish(delivery, undefined, false);
  }

  /** Sends what waits, as far as the client takes it. */
  pump(): void {
    const link = this.#link;
    if (link === undefined) return;
    this.#sendAgain(link);
    while (this.#again.size === 0 && this.#queue.length > 0 && this.#outgoing.size < link.window && !link.isFull) {
      const delivery = this.#dequeue();
      if (delivery === undefined || isExpired(delivery.message, this.#around.now())) continue;
      const id = this.#freeId();
      this.#outgoing.set(id, { delivery, isReceived: false });
      this.#around.kept += sizeOf(delivery.message);
      if (!link.publish(delivery, id, false)) this.#settle(id);
    }
  }

  #sendAgain(link: Link): void {
    for (const id of this.#again) {
      if (link.isFull || this.#outgoing.size - this.#again.size >= link.window) return;
      this.#again.delete(id);
      const exchange = this.#outgoing.get(id);
      if (exchange?.isReceived) link.acknowledge({ cmd: "pubrel", messageId: id });
      else if (exchange !== undefined && !link.publish(exchange.delivery, id, true)) this.#settle(id);
    }
  }

  /** The client has received a message of QoS 1, or the exchange of QoS 2 is at its end. */
  acknowledged(cmd: "puback" | "pubcomp", id: number): void {
    const isIt = this.#outgoing.get(id)?.delivery.qos === (cmd === "puback" ? 1 : 2);
    if (isIt) this.#settle(id);
    this.pump();
  }

  /** The client has received a message of QoS 2, or refused it; false when none is known by this number. */
  received(id: number, isRefused: boolean): boolean {
    const exchange = this.#outgoing.get(id);
    if (exchange === undefined || exchange.delivery.qos !== 2) return false;
    if (isRefused) this.#settle(id);
    else exchange.isReceived = true;
    if (isRefused) this.pump();
    return true;
  }

  /** How many messages of QoS 2 from the client it has not released. */
  get held(): number {
    return this.#held.size;
  }

  holds(id: number): boolean {
    return this.#held.has(id);
  }

  /** Keeps a message of QoS 2 until the client releases it; false when there is no room for it. */
  hold(id: number, message: Message): boolean {
    const size = sizeOf(message);
    if (this.#heldBytes + size > limits.queueBytes || this.#around.kept + size > limits.allQueuesBytes) return false;
    this.#held.set(id, message);
    this.#heldBytes += size;
    this.#around.kept += size;
    return true;
  }

  /** The message that is to be published now; undefined when none is known by this number. */
  release(id: number): Message | undefined {
    const message = this.#held.get(id);
    if (message === undefined) return undefined;
    this.#held.delete(id);
    this.#heldBytes -= sizeOf(message);
    this.#around.kept -= sizeOf(message);
    return message;
  }

  /** Nothing of it is needed any more. */
  end(): void {
    while (this.#queue.length > 0) this.#dequeue();
    for (const id of [...this.#outgoing.keys()]) this.#settle(id);
    for (const id of [...this.#held.keys()]) this.release(id);
  }

  #settle(id: number): void {
    const exchange = this.#outgoing.get(id);
    if (exchange === undefined) return;
    this.#outgoing.delete(id);
    this.#again.delete(id);
    this.#around.kept -= sizeOf(exchange.delivery.message);
  }

  /** The oldest is dropped where there is no room. */
  #enqueue(delivery: Delivery): void {
    const size = sizeOf(delivery.message);
    const isOver = (): boolean =>
      this.#queue.length >= limits.queue ||
      this.#queuedBytes + size > limits.queueBytes ||
      this.#around.kept + size > limits.allQueuesBytes;
    while (this.#queue.length > 0 && isOver()) this.#drop();
    if (isOver()) {
      this.#around.dropped += 1;
      return;
    }
    this.#queue.push(delivery);
    this.#count(size);
  }

  #drop(): void {
    this.#dequeue();
    this.#around.dropped += 1;
  }

  #dequeue(): Delivery | undefined {
    const delivery = this.#queue.shift();
    if (delivery !== undefined) this.#count(-sizeOf(delivery.message));
    return delivery;
  }

  #count(bytes: number): void {
    this.#queuedBytes += bytes;
    this.#around.kept += bytes;
  }

  /** A number that no message on its way has [MQTT-2.2.1-4]: there are more of them than a window is wide. */
  #freeId(): number {
    do this.#lastId = (this.#lastId % 65_535) + 1;
    while (this.#outgoing.has(this.#lastId));
    return this.#lastId;
  }
}
