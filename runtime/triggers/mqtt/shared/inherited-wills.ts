import { longestWait } from "../../../value/duration.ts";
import type { Clock } from "../stored-message.ts";
import type { WillEntry } from "./directory.ts";

/** Publishes the wills of ended processes, each at its due time. */
export class InheritedWills {
  readonly #clock: Clock;
  readonly #publish: (will: WillEntry) => void;
  readonly #timers = new Map<string, NodeJS.Timeout>();

  constructor(clock: Clock, publish: (will: WillEntry) => void) {
    this.#clock = clock;
    this.#publish = publish;
  }

  has(name: string): boolean {
    return this.#timers.has(name);
  }

  add(will: WillEntry): void {
    this.cancel(will.name);
    const now = this.#clock.now();
    const { due = now } = will;
    if (due <= now) {
      this.#publish(will);
      return;
    }
    const timer = setTimeout(() => this.add(will), Math.min(due - now, longestWait)).unref();
    this.#timers.set(will.name, timer);
  }

  /** Publishes a will at once, because its time has come. */
  hurry(will: WillEntry): void {
    this.cancel(will.name);
    this.#publish(will);
  }

  cancel(name: string): void {
    clearTimeout(this.#timers.get(name));
    this.#timers.delete(name);
  }

  clear(): void {
    for (const name of [...this.#timers.keys()]) this.cancel(name);
  }
}
