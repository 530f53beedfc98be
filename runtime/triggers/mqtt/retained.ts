import { limits } from "./limits.ts";
import { isExpired, type Message, sizeOf } from "./message.ts";
import { levelsOf, matches } from "./topics.ts";

/** The retained message of each topic (MQTT 3.3.1.3). */
export class Retained {
  readonly #now: () => number;
  readonly #messages = new Map<string, Message>();
  #bytes = 0;
  #keep: ((topic: string, message: Message | undefined) => void) | undefined;

  constructor(now: () => number) {
    this.#now = now;
  }

  has(topic: string): boolean {
    return this.#messages.has(topic);
  }

  /** True when the message may be retained. */
  hasRoom(message: Message): boolean {
    const before = this.#messages.get(message.topic);
    if (message.payload.length === 0) return true;
    const bytes = this.#bytes + sizeOf(message) - (before === undefined ? 0 : sizeOf(before));
    return bytes <= limits.retainedBytes && !(before === undefined && this.#isFull());
  }

  /** Retains the message; an empty one removes the message of its topic. False when there is no room for a further one. */
  keep(message: Message): boolean {
    const { topic, payload } = message;
    const before = this.#messages.get(topic);
    if (payload.length === 0) {
      this.#forget(topic, before);
      return true;
    }
    if (!this.hasRoom(message)) return false;
    this.#bytes += sizeOf(message) - (before === undefined ? 0 : sizeOf(before));
    this.#messages.set(topic, message);
    this.#keep?.(topic, message);
    return true;
  }

  /**
   * Sets the function `keep`. It is called with every retained message, and with no message for a topic whose retained message was removed.
   */
  keepWith(keep: (topic: string, message: Message | undefined) => void): void {
    this.#keep = keep;
  }

  /** Takes a message that was retained before this process began, unless a newer one was published since. */
  restore(message: Message): void {
    const bytes = this.#bytes + sizeOf(message);
    if (this.#messages.has(message.topic) || this.#messages.size >= limits.retained || bytes > limits.retainedBytes) return;
    this.#messages.set(message.topic, message);
    this.#bytes = bytes;
  }

  /** Forgets all retained messages in this process. */
  clear(): void {
    this.#messages.clear();
    this.#bytes = 0;
  }

  /** Finds the messages whose topics a filter matches. */
  *find(filter: readonly string[]): Generator<Message> {
    const now = this.#now();
    for (const message of this.#messages.values()) {
      if (!isExpired(message, now) && matches(filter, levelsOf(message.topic))) yield message;
    }
  }

  #isFull(): boolean {
    if (this.#messages.size < limits.retained) return false;
    const now = this.#now();
    for (const [topic, message] of this.#messages) if (isExpired(message, now)) this.#forget(topic, message);
    return this.#messages.size >= limits.retained;
  }

  #forget(topic: string, message: Message | undefined): void {
    if (message === undefined) return;
    this.#messages.delete(topic);
    this.#bytes -= sizeOf(message);
    this.#keep?.(topic, undefined);
  }
}
