import { type Bus, type BusMessage, type Follower, type Heard, type Kept, sizeOf } from "./bus.ts";
import { Followers, goneOf, helloOf } from "./followers.ts";
import type { BusReport } from "./report.ts";

/** A store of kept messages that outlive the process. */
export interface KeptStore {
  /** Everything that is kept, in order. */
  readonly load: () => Promise<readonly Kept[]>;
  /** Stores or removes, soon after, the kept message that this message changes. */
  readonly hear: (message: Heard) => void;
  /** Resolves when all changes so far are written, or cannot be written. */
  readonly close: () => Promise<void>;
}

/** A message with its place in the messages of its source. */
export interface Sent extends BusMessage {
  readonly source: string;
  readonly number: number;
}

/** A bus that also gives an order to the messages of other processes: the workers of this process. */
export interface Sequencer extends Bus {
  readonly send: (message: Sent, heard?: () => void) => void;
}

export interface LocalBusOptions {
  readonly source?: string;
  /** The position before the first message. Where messages are stored, it is greater at each start than at the one before. */
  readonly position?: number;
  readonly store?: KeptStore | undefined;
  /** True when this process carries the messages of its workers. */
  readonly workers?: boolean;
}

/** The most bytes of messages that are remembered, so that workers can ask for them later. */
const mostRemembered = 8 * 1_048_576;

/** The bus of a process that shares its messages with no other process or only with its workers: a message is heard at once. */
export class LocalBus implements Sequencer {
  readonly source: string;
  readonly alone: boolean;
  readonly report: BusReport = { connected: true, lost: 0 };
  readonly #followers = new Followers(
    () => this.source,
    () => undefined,
  );
  readonly #store: KeptStore | undefined;
  readonly #queue: { readonly message: Sent; readonly heard: (() => void) | undefined }[] = [];
  readonly #recent: Heard[] = [];
  #recentBytes = 0;
  #position: number;
  #number = 0;
  #isBusy = false;
  #joining: Promise<void> | undefined;

  constructor({ source = "local", position = 0, store, workers = false }: LocalBusOptions = {}) {
    this.source = source;
    this.alone = !workers;
    this.#store = store;
    this.#position = position;
  }

  follow(kind: string, follower: Follower): void {
    this.#followers.set(kind, follower);
  }

  join(): Promise<void> {
    this.#joining ??= this.#join();
    return this.#joining;
  }

  publish(message: BusMessage, heard?: () => void): boolean {
    this.#number += 1;
    this.send({ ...message, source: this.source, number: this.#number }, heard);
    return true;
  }

  send(message: Sent, heard?: () => void): void {
    this.#queue.push({ message, heard });
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
        this.#hear(next.message);
        next.heard?.();
      }
    } finally {
      this.#isBusy = false;
    }
  }

  settled(): undefined {
    return undefined;
  }

  async since(kind: string, position: number): Promise<readonly Heard[]> {
    return this.#recent.filter((message) => message.kind === kind && message.position > position);
  }

  async close(): Promise<void> {
    await this.#store?.close();
  }

  async #join(): Promise<void> {
    const state = (await this.#store?.load()) ?? [];
    this.#position = Math.max(this.#position, state.at(-1)?.position ?? 0);
    this.#followers.restore(state);
    if (!this.alone) return;
    this.publish(helloOf(this.source));
    for (const owner of this.#followers.orphaned(state)) this.publish(goneOf(owner, this.source));
  }

  #hear(sent: Sent): void {
    this.#position += 1;
    const message: Heard = { ...sent, position: this.#position, when: "usual" };
    if (!this.alone) this.#remember(message);
    this.#store?.hear(message);
    this.#followers.hear(message);
  }

  #remember(message: Heard): void {
    this.#recent.push(message);
    this.#recentBytes += sizeOf(message);
    while (this.#recentBytes > mostRemembered) {
      const oldest = this.#recent.shift();
      this.#recentBytes -= oldest === undefined ? 0 : sizeOf(oldest);
    }
  }
}
