/** Times in milliseconds; see `usualTimes`. */
export interface WatchTimes {
  readonly deaf: number;
  readonly missing: number;
  readonly silent: number;
  readonly log: number;
}

export interface WatchEvents {
  /** A process is gone. */
  readonly gone: (source: string) => void;
  /** This process does not hear itself. */
  readonly deaf: () => void;
  /** The queue of the server is so full, from 0 to 1; told once. */
  readonly full: (usage: number) => void;
}

/** Share of the server's notification queue from which on a warning is logged. */
const fullness = 0.1;

/** Milliseconds that others have to connect again when the database comes back, before they count as missing. */
const reunionMs = 2_500;

/** The most positions that are remembered with their times. */
const mostMarks = 200;

/** Watches which processes live, and how old messages are, by a clock that never goes back. */
export class Watch {
  readonly #source: string;
  readonly #times: WatchTimes;
  readonly #now: () => number;
  readonly #events: WatchEvents;
  /** When each process has given a sign of life. */
  readonly #beats = new Map<string, number>();
  /** Since when a process has no connection. */
  readonly #missing = new Map<string, number>();
  /** Positions and when they were the last ones. */
  readonly #marks: { readonly position: number; readonly at: number }[] = [];
  /** When the sign of life that is on its way was given. */
  #asked: number | undefined;
  #lag: number | undefined;
  #isFull = false;
  #hasBegun = false;
  /** Until this time a process without a connection does not count as missing. */
  #patience = Number.NEGATIVE_INFINITY;

  constructor(source: string, times: WatchTimes, now: () => number, events: WatchEvents) {
    this.#source = source;
    this.#times = times;
    this.#now = now;
    this.#events = events;
  }

  /** A connection begins: signs of life are to come. Behind one that was lost the others may have lost theirs, too. */
  begin(): void {
    if (this.#hasBegun) this.#patience = this.#now() + reunionMs;
    this.#hasBegun = true;
    this.#beats.clear();
    this.#missing.clear();
    this.#asked = undefined;
    this.#beats.set(this.#source, this.#now());
  }

  heard(source: string): void {
    const now = this.#now();
    this.#beats.set(source, now);
    if (source !== this.#source || this.#asked === undefined) return;
    this.#lag = now - this.#asked;
    this.#asked = undefined;
  }

  /** Milliseconds from a sign of life until it was heard here, or that one is on its way by now; nothing before the first one. */
  get report(): { readonly lag?: number } {
    const waiting = this.#asked === undefined ? 0 : this.#now() - this.#asked;
    return this.#lag === undefined ? {} : { lag: Math.round(Math.max(this.#lag, waiting)) };
  }

  /** The process has gone. */
  forget(source: string): void {
    this.#beats.delete(source);
  }

  /** Looks at what the database says: `missing` are the processes without connection. */
  observe(missing: readonly string[], usage: number): void {
    const now = this.#now();
    for (const source of [...this.#missing.keys()]) if (!missing.includes(source)) this.#missing.delete(source);
    for (const source of missing) {
      const since = this.#missing.get(source) ?? Math.max(now, this.#patience);
      this.#missing.set(source, since);
      if (now - since >= this.#times.missing) this.#isGone(source);
    }
    for (const [source, at] of [...this.#beats]) if (source !== this.#source && now - at > this.#times.silent) this.#isGone(source);
    if (usage >= fullness && !this.#isFull) this.#events.full(usage);
    this.#isFull = usage >= fullness;
    if (now - (this.#beats.get(this.#source) ?? now) > this.#times.deaf) this.#events.deaf();
  }

  /**
   * Notes that this process sends a sign of life at this position. While an earlier one is on its way, the lag is measured from that one.
   */
  beats(position: number): void {
    this.#asked ??= this.#now();
    const last = this.#marks.at(-1);
    if (last !== undefined && (position <= last.position || this.#now() - last.at < this.#times.log / mostMarks)) return;
    this.#marks.push({ position, at: this.#now() });
  }

  /** The position up to which messages are older than the log keeps them. */
  expiredPosition(): number | undefined {
    let position: number | undefined;
    for (let mark = this.#marks[0]; mark !== undefined && this.#now() - mark.at > this.#times.log; mark = this.#marks[0]) {
      position = mark.position;
      this.#marks.shift();
    }
    return position;
  }

  #isGone(source: string): void {
    this.#beats.delete(source);
    this.#missing.set(source, Number.POSITIVE_INFINITY);
    this.#events.gone(source);
  }
}
