import { limits } from "./limits.ts";
import { type Message, sizeOf } from "./message.ts";

/** A message whose run is being stored; `held` resolves with true when the message is held after that. */
interface Storing {
  readonly stored: Promise<Message | undefined>;
  readonly held: Promise<boolean>;
}

/** Messages of QoS 2 from one client that it has not released. */
export class Held {
  /** The bytes of all messages from clients and for clients, shared by all sessions of a broker. */
  readonly #totals: { kept: number };
  readonly #messages = new Map<number, Message>();
  /** Messages that are held once their runs are stored, by their numbers. */
  readonly #storing = new Map<number, Storing>();
  #bytes = 0;

  constructor(totals: { kept: number }) {
    this.#totals = totals;
  }

  get(id: number): Message | undefined {
    return this.#messages.get(id);
  }

  /** The number of messages, including those whose runs are being stored. */
  get all(): number {
    return this.#messages.size + this.#storing.size;
  }

  /** Resolves with true when the message of this number is held; undefined when no run of it is being stored. */
  storing(id: number): Promise<boolean> | undefined {
    return this.#storing.get(id)?.held;
  }

  /**
   * Notes that the run of a message is being stored; `hold` is called when it is stored. `stored` resolves with undefined when the run is
   * refused.
   */
  store(id: number, stored: Promise<Message | undefined>, hold: (message: Message) => boolean): Promise<boolean> {
    const held = stored.then((message) => message !== undefined && hold(message)).finally(() => this.#storing.delete(id));
    this.#storing.set(id, { stored, held });
    return held;
  }

  /** Resolves with the messages of all runs that are being stored, once they are stored. */
  async settled(): Promise<readonly (readonly [id: number, message: Message])[]> {
    const all = [...this.#storing].map(async ([id, { stored }]) => [id, await stored] as const);
    return (await Promise.all(all)).flatMap(([id, message]) => (message === undefined ? [] : [[id, message] as const]));
  }

  ids(): readonly number[] {
    return [...this.#messages.keys()];
  }

  /** Holds a message; false when there is no room. */
  add(id: number, message: Message): boolean {
    const size = sizeOf(message);
    if (this.#bytes + size > limits.queueBytes || this.#totals.kept + size > limits.allQueuesBytes) return false;
    this.restore(id, message);
    return true;
  }

  /** Holds a message that was held before, without a check for room. */
  restore(id: number, message: Message): void {
    this.#messages.set(id, message);
    this.#count(sizeOf(message));
  }

  /** Removes a message and gives it; undefined when none has this number. */
  delete(id: number): Message | undefined {
    const message = this.#messages.get(id);
    if (message === undefined) return undefined;
    this.#messages.delete(id);
    this.#count(-sizeOf(message));
    return message;
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    this.#totals.kept += bytes;
  }
}
