import { limits } from "./limits.ts";
import { type Message, sizeOf } from "./message.ts";

/** A message whose run is on its way to the store, and whether it is held in the end. */
interface Storing {
  readonly stored: Promise<Message | undefined>;
  readonly held: Promise<boolean>;
}

/** Messages of QoS 2 from one client that it has not released. */
export class Held {
  /** Bytes of all that is kept for clients or from them, which all sessions of a broker share. */
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

  /** How many there are, those included whose runs are on their way to the store. */
  get all(): number {
    return this.#messages.size + this.#storing.size;
  }

  /** Whether the message of this number is held in the end; undefined when no run of it is on its way to the store. */
  storing(id: number): Promise<boolean> | undefined {
    return this.#storing.get(id)?.held;
  }

  /** The run of a message is on its way to the store; `hold` is called when it is there. `stored` gives undefined when it is refused. */
  store(id: number, stored: Promise<Message | undefined>, hold: (message: Message) => boolean): Promise<boolean> {
    const held = stored.then((message) => message !== undefined && hold(message)).finally(() => this.#storing.delete(id));
    this.#storing.set(id, { stored, held });
    return held;
  }

  /** Gives the messages of all runs that are on their way to the store, once they are there. */
  async settled(): Promise<readonly (readonly [id: number, message: Message])[]> {
    const all = [...this.#storing].map(async ([id, { stored }]) => [id, await stored] as const);
    return (await Promise.all(all)).flatMap(([id, message]) => (message === undefined ? [] : [[id, message] as const]));
  }

  ids(): readonly number[] {
    return [...this.#messages.keys()];
  }

  /** False when there is no room. */
  add(id: number, message: Message): boolean {
    const size = sizeOf(message);
    if (this.#bytes + size > limits.queueBytes || this.#totals.kept + size > limits.allQueuesBytes) return false;
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
    this.#totals.kept += bytes;
  }
}
