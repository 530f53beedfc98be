import type { Json } from "../value/json.ts";
import type { Message } from "./history.ts";

/** How much is kept; `retainedBytes` counts the characters of names and data. */
export interface RetainedLimits {
  readonly retained: number;
  readonly retainedBytes: number;
}

/** The last message of each channel that was to be kept (spec/surfaces 3). */
export class Retained {
  readonly #limits: RetainedLimits;
  readonly #messages = new Map<string, Message>();
  #bytes = 0;
  #keep: ((channel: string, data: Json) => void) | undefined;

  constructor(limits: RetainedLimits) {
    this.#limits = limits;
  }

  /** From now on `keep` gets every message that is retained, and null for a channel whose message is no longer retained. */
  keepWith(keep: (channel: string, data: Json) => void): void {
    this.#keep = keep;
  }

  /** True when these data (JSON text) may be kept for the channel. */
  hasRoom(channel: string, data: string): boolean {
    const bytes = this.#bytes + sizeOf(channel, data) - this.#sizeOf(channel);
    const isNew = !this.#messages.has(channel);
    return bytes <= this.#limits.retainedBytes && !(isNew && this.#messages.size >= this.#limits.retained);
  }

  /** Keeps the message, for which `hasRoom` has found room; `data` is the parsed text, and null removes the kept message. */
  set(channel: string, message: Message, data: Json): void {
    if (data !== null) this.#add(channel, message);
    // When nothing was kept, there is nothing to remove from the store.
    else if (!this.#forget(channel)) return;
    this.#keep?.(channel, data);
  }

  /** Takes a message that was retained before this process began; one that has been published since is newer. */
  restore(channel: string, message: Message): void {
    if (!this.#messages.has(channel) && this.hasRoom(channel, message.data)) this.#add(channel, message);
  }

  get(channel: string): Message | undefined {
    return this.#messages.get(channel);
  }

  /** All channels with their messages. */
  entries(): Iterable<readonly [channel: string, message: Message]> {
    return this.#messages;
  }

  clear(): void {
    this.#messages.clear();
    this.#bytes = 0;
  }

  #add(channel: string, message: Message): void {
    this.#bytes += sizeOf(channel, message.data) - this.#sizeOf(channel);
    this.#messages.set(channel, message);
  }

  /** False when nothing is kept. */
  #forget(channel: string): boolean {
    this.#bytes -= this.#sizeOf(channel);
    return this.#messages.delete(channel);
  }

  /** The bytes of the message that is kept for the channel. */
  #sizeOf(channel: string): number {
    const message = this.#messages.get(channel);
    return message === undefined ? 0 : sizeOf(channel, message.data);
  }
}

const sizeOf = (channel: string, data: string): number => channel.length + data.length;
