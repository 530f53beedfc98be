import { limits } from "./limits.ts";
import { type Message, sizeOf } from "./message.ts";

/** Messages of QoS 2 from one client that it has not released. */
export class Held {
  /** Bytes of all that is kept for clients or from them, which all sessions of a broker share. */
  readonly #around: { kept: number };
  readonly #messages = new Map<number, Message>();
  #bytes = 0;

  constructor(around: { kept: number }) {
    this.#around = around;
  }

  get size(): number {
    return this.#messages.size;
  }

  get(id: number): Message | undefined {
    return this.#messages.get(id);
  }

  ids(): readonly number[] {
    return [...this.#messages.keys()];
  }

  /** False when there is no room. */
  add(id: number, message: Message): boolean {
    const size = sizeOf(message);
    if (this.#bytes + size > limits.queueBytes || this.#around.kept + size > limits.allQueuesBytes) return false;
    this.restore(id, message);
    return true;
  }

  /** Takes a message for which there was room before. */
  restore(id: number, message: Message): void {
    this.#messages.set(id, message);
    this.#count(sizeOf(message));
  }

  /** The message; undefined when none is known by this number. */
  delete(id: number): Message | undefined {
    const message = this.#messages.get(id);
    if (message === undefined) return undefined;
    this.#messages.delete(id);
    this.#count(-sizeOf(message));
    return message;
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    this.#around.kept += bytes;
  }
}
