import type { Timers } from "#runtime/durable/timers.ts";

// A world of one thread: time, chance, and everything that crosses the network come from a seed, so that a schedule can be had again.

/** Numbers by chance, the same for a seed (mulberry32). */
export function chanceOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

interface Event {
  readonly at: number;
  readonly order: number;
  readonly happens: () => void;
}

/** Events, one after the other. */
export class World {
  now = 0;
  readonly chance: () => number;
  #events: Event[] = [];
  #order = 0;

  constructor(seed: number) {
    this.chance = chanceOf(seed);
  }

  /** A whole number from 0 up to this, without it. */
  pick(below: number): number {
    return Math.floor(this.chance() * below);
  }

  /** Lets something happen after so many milliseconds. */
  after(ms: number, happens: () => void): void {
    const event = { at: this.now + Math.max(0, ms), order: ++this.#order, happens };
    // Most events are near the end of the list, which is in the order of the times.
    let at = this.#events.length;
    while (at > 0 && (this.#events[at - 1]?.at ?? 0) > event.at) at -= 1;
    this.#events.splice(at, 0, event);
  }

  /** Lets events happen until nothing more happens, or that time has come. */
  async run(until: number): Promise<void> {
    for (;;) {
      const [event] = this.#events;
      if (event === undefined || event.at > until) return;
      this.#events.shift();
      this.now = event.at;
      event.happens();
      // All that follows without waiting for an event is done before the next one.
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  }
}

/** A process of the world: it can be killed, and be stopped for a while. */
export class Process implements Timers {
  isAlive = true;
  readonly #world: World;
  /** The speed of its clock. */
  readonly #rate: number;
  readonly #began: number;
  #stoppedUntil = 0;

  constructor(world: World, rate: number) {
    this.#world = world;
    this.#rate = rate;
    this.#began = world.now;
  }

  readonly monotonic = (): number => (this.#world.now - this.#began) * this.#rate;

  readonly after = (ms: number, call: () => void): (() => void) => {
    let isWanted = true;
    this.#world.after(ms / this.#rate, () => this.whenAwake(() => isWanted && call()));
    return () => {
      isWanted = false;
    };
  };

  /** Does something when the process is not stopped; never when it has been killed. */
  whenAwake(work: () => void): void {
    if (!this.isAlive) return;
    const wait = this.#stoppedUntil - this.#world.now;
    if (wait <= 0) work();
    else this.#world.after(wait, () => this.whenAwake(work));
  }

  /** SIGSTOP now, SIGCONT after so many milliseconds. */
  stop(ms: number): void {
    this.#stoppedUntil = this.#world.now + ms;
  }

  get isStopped(): boolean {
    return this.#stoppedUntil > this.#world.now;
  }

  kill(): void {
    this.isAlive = false;
  }
}
