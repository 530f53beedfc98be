import type { Message } from "./history.ts";

/** Bounds of retained messages: their number, and the characters of names and data. */
export interface RetainedLimits {
  readonly retained: number;
  readonly retainedBytes: number;
}

/** The retained message of each channel (spec/surfaces 3). */
export class Retained {
  readonly #limits: RetainedLimits;
  readonly #messages = new Map<string, Message>();
  #bytes = 0;

  constructor(limits: RetainedLimits) {
    this.#limits = limits;
  }

  /** True when this data (JSON text) fits as the retained message of the channel. */
  hasRoom(channel: string, data: string): boolean {
    const bytes = this.#bytes + sizeOf(channel, data) - this.#sizeOf(channel);
    const isNew = !this.#messages.has(channel);
    return bytes <= this.#limits.retainedBytes && !(isNew && this.#messages.size >= this.#limits.retained);
  }

  /** Retains the message. The publishing process has checked `hasRoom`. */
  set(channel: string, message: Message): void {
    this.#bytes += sizeOf(channel, message.data) - this.#sizeOf(channel);
    this.#messages.set(channel, message);
  }

  /** Removes the retained message of the channel. */
  delete(channel: string): void {
    this.#bytes -= this.#sizeOf(channel);
    this.#messages.delete(channel);
  }

  get(channel: string): Message | undefined {
    return this.#messages.get(channel);
  }

  get size(): number {
    return this.#messages.size;
  }

  /** All channels with their retained messages. */
  entries(): Iterable<readonly [channel: string, message: Message]> {
    return this.#messages;
  }

  clear(): void {
    this.#messages.clear();
    this.#bytes = 0;
  }

  /** The bytes of the retained message of the channel. */
  #sizeOf(channel: string): number {
    const message = this.#messages.get(channel);
    return message === undefined ? 0 : sizeOf(channel, message.data);
  }
}

const sizeOf = (channel: string, data: string): number => channel.length + data.length;
