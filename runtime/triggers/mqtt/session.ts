import { limits } from "./limits.ts";
import { type Delivery, isExpired, type Message, sizeOf } from "./message.ts";
import type { Ack } from "./packets.ts";
import type { Subscription } from "./subscriptions.ts";
import type { Filter } from "./topics.ts";

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

/** What all sessions of a broker share. */
export interface Surroundings {
  readonly now: () => number;
  /** Bytes in all queues. */
  queued: number;
  /** Messages that were dropped since a client was too slow or away for too long. */
  dropped: number;
}

/** What the broker knows of a client, also while it is away (MQTT 4.1). */
export class Session {
  readonly key: string;
  readonly filters = new Map<string, { readonly filter: Filter; readonly subscription: Subscription }>();
  /** Messages of QoS 2 from the client that it has not released. */
  readonly incoming = new Map<number, Message>();
  readonly #around: Surroundings;
  readonly #outgoing = new Map<number, Outgoing>();
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
    for (const [id, { delivery, isReceived }] of [...this.#outgoing]) {
      if (isReceived) link.acknowledge({ cmd: "pubrel", messageId: id });
      else if (!link.publish(delivery, id, true)) this.#outgoing.delete(id);
    }
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
    while (link !== undefined && this.#queue.length > 0 && this.#outgoing.size < link.window && !link.isFull) {
      const delivery = this.#dequeue();
      if (delivery === undefined || isExpired(delivery.message, this.#around.now())) continue;
      const id = this.#freeId();
      this.#outgoing.set(id, { delivery, isReceived: false });
      if (!link.publish(delivery, id, false)) this.#outgoing.delete(id);
    }
  }

  /** The client has received a message of QoS 1, or the exchange of QoS 2 is at its end. */
  acknowledged(cmd: "puback" | "pubcomp", id: number): void {
    const isIt = this.#outgoing.get(id)?.delivery.qos === (cmd === "puback" ? 1 : 2);
    if (isIt) this.#outgoing.delete(id);
    this.pump();
  }

  /** The client has received a message of QoS 2, or refused it; false when none is known by this number. */
  received(id: number, isRefused: boolean): boolean {
    const found = this.#outgoing.get(id);
    if (found === undefined || found.delivery.qos !== 2) return false;
    if (isRefused) this.#outgoing.delete(id);
    else found.isReceived = true;
    if (isRefused) this.pump();
    return true;
  }

  /** Nothing of it is needed any more. */
  end(): void {
    while (this.#queue.length > 0) this.#dequeue();
    this.#outgoing.clear();
    this.incoming.clear();
  }

  /** The oldest is dropped where there is no room. */
  #enqueue(delivery: Delivery): void {
    const size = sizeOf(delivery.message);
    const isOver = (): boolean =>
      this.#queue.length >= limits.queue ||
      this.#queuedBytes + size > limits.queueBytes ||
      this.#around.queued + size > limits.allQueuesBytes;
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
    this.#around.queued += bytes;
  }

  /** A number that no message on its way has [MQTT-2.2.1-4]: there are more of them than a window is wide. */
  #freeId(): number {
    do this.#lastId = (this.#lastId % 65_535) + 1;
    while (this.#outgoing.has(this.#lastId));
    return this.#lastId;
  }
}
