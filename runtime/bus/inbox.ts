import type { Heard, Keep } from "./bus.ts";
import type { Notification } from "./postgres-texts.ts";

export interface InboxOptions {
  readonly hear: (message: Heard) => void;
  /** Reads messages of the log after a position, up to and including another one. */
  readonly read: (after: number, upTo: number) => Promise<readonly Heard[]>;
  /**
   * Called when the log has lost messages that this process has not heard; `missed` is their number. The callback begins the inbox anew.
   */
  readonly broken: (missed: number) => Promise<void>;
  readonly failed: (error: Error) => void;
}

/** Notifications that wait at most; further ones are dropped, and their messages are read from the log. */
const mostWaiting = 10_000;

/** Brings messages into their order: missing messages are read from the log, and duplicates are left out. */
export class Inbox {
  readonly #options: InboxOptions;
  /** The number of the last message that was heard, by source. */
  readonly #numbers = new Map<string, number>();
  #waiting: Notification[] = [];
  #position = 0;
  /** The log is known to have messages up to this position, perhaps without a notification of them. */
  #known = 0;
  #work: Promise<void> | undefined;
  #isPaused = true;

  constructor(options: InboxOptions) {
    this.#options = options;
  }

  /** The position of the last message that was heard. */
  get position(): number {
    return this.#position;
  }

  /** No message is heard until `begin` or `goOn` is called. */
  pause(): void {
    this.#isPaused = true;
    this.#waiting = [];
    this.#known = 0;
  }

  /** Begins at this position: the state includes all messages up to it. */
  begin(position: number): void {
    this.#position = position;
    this.goOn(position);
  }

  /** Hears the messages that were missed up to this position, and then the ones that have arrived meanwhile. */
  goOn(position: number): void {
    this.#isPaused = false;
    this.#known = Math.max(this.#known, position);
    this.#begin();
  }

  take(notification: Notification): void {
    if (this.#waiting.length >= mostWaiting) this.#waiting = [];
    this.#waiting.push(notification);
    if (!this.#isPaused) this.#begin();
  }

  /** Resolves when all messages that have arrived are heard. */
  async idle(): Promise<void> {
    await this.#work;
  }

  #begin(): void {
    if (this.#work !== undefined) return;
    // Most notifications hold their whole messages, which are heard at once.
    if (this.#known <= this.#position) this.#hearWhole();
    if (this.#waiting.length === 0 && this.#known <= this.#position) return;
    this.#work = this.#goThrough()
      .catch((error: Error) => this.#options.failed(error))
      .finally(() => {
        this.#work = undefined;
        if (this.#waiting.length > 0 && !this.#isPaused) this.#begin();
      });
  }

  /** Hears notifications until one needs messages of the log. */
  #hearWhole(): void {
    for (let next = this.#waiting[0]; next !== undefined && !this.#isPaused; next = this.#waiting[0]) {
      if (this.#misses(next.first) || next.items.some(({ length }) => length < 4)) return;
      this.#waiting.shift();
      this.#hearAll(next);
    }
  }

  async #goThrough(): Promise<void> {
    while (!this.#isPaused) {
      if (this.#known > this.#position) await this.#readUpTo(this.#known);
      this.#hearWhole();
      const next = this.#waiting[0];
      if (next === undefined) return;
      const last = next.first + next.items.length - 1;
      // The log has the bodies that are not in the notification, and the messages before it that were missed.
      if (last > this.#position) await this.#readUpTo(last);
      else this.#waiting.shift();
    }
  }

  async #readUpTo(last: number): Promise<void> {
    while (this.#position < last && !this.#isPaused) {
      const messages = await this.#options.read(this.#position, last);
      const [first] = messages;
      if (first === undefined || this.#misses(first.position)) {
        const missed = (first?.position ?? last + 1) - this.#position - 1;
        this.#isPaused = true;
        await this.#options.broken(missed);
        return;
      }
      for (const message of messages) this.#hear(message);
    }
  }

  /** True when a message is missing before this position. As long as no process has published, none is missing. */
  #misses(next: number): boolean {
    return this.#position !== 0 && next > this.#position + 1;
  }

  #hearAll({ first, items }: Notification): void {
    for (const [i, [source, number, kind, body = "", keep]] of items.entries())
      this.#hear({ position: first + i, source, number, kind, body, ...withKeep(keep), when: "usual" });
  }

  /** A message that was sent twice, because its sender did not know whether it had arrived, has two positions and one number. */
  #hear(message: Heard): void {
    if (message.position <= this.#position) return;
    this.#position = message.position;
    const { source, number } = message;
    if (number <= (this.#numbers.get(source) ?? 0)) return;
    this.#numbers.delete(source);
    this.#numbers.set(source, number);
    if (this.#numbers.size > mostSources) for (const oldest of [...this.#numbers.keys()].slice(0, 1)) this.#numbers.delete(oldest);
    this.#options.hear(message);
  }
}

/** The most sources whose numbers are remembered; the sources that have been silent for longest are forgotten. */
const mostSources = 10_000;

const withKeep = (keep: readonly Keep[] | undefined): { readonly keep?: readonly Keep[] } => (keep === undefined ? {} : { keep });
