/** Times in milliseconds; see `usualTimes`. */
export interface WatchTimes {
  readonly deaf: number;
  readonly missing: number;
  readonly silent: number;
  readonly log: number;
}

export interface WatchEvents {
  /** Another process counts as gone. */
  readonly gone: (source: string) => void;
  /** This process has not heard its own sign of life for too long. */
  readonly deaf: () => void;
  /** The server's queue of notifications has become this full, from 0 to 1; reported once. */
  readonly full: (usage: number) => void;
}

/** Share of the server's notification queue from which on a warning is logged. */
const fullness = 0.1;

/** Milliseconds that other processes have to connect again after an outage of the database, before they count as missing. */
const reunionMs = 2_500;

/** The most positions that are remembered with their times. */
const mostMarks = 200;

/** Watches which processes live, and how long messages take, by a clock that never goes back. */
export class Watch {
  readonly #source: string;
  readonly #times: WatchTimes;
  readonly #now: () => number;
  readonly #events: WatchEvents;
  /** The time of the last sign of life of each process. */
  readonly #beats = new Map<string, number>();
  /** The time since which a process has had no connection. */
  readonly #missing = new Map<string, number>();
  /** Log positions with the time at which each was the last one. */
  readonly #marks: { readonly position: number; readonly at: number }[] = [];
  /** The time of the oldest sign of life that is still on its way. */
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

  /**
   * Notes that a connection has begun, and expects signs of life on it. After a lost connection the other processes may have lost theirs,
   * too.
   */
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

  /**
   * The lag: milliseconds from the sending of a sign of life until this process heard it, or until this moment, if one on its way takes
   * longer. Empty before the first one is heard.
   */
  get report(): { readonly lag?: number } {
    const waiting = this.#asked === undefined ? 0 : this.#now() - this.#asked;
    return this.#lag === undefined ? {} : { lag: Math.round(Math.max(this.#lag, waiting)) };
  }

  /** Forgets a process that has ended. */
  forget(source: string): void {
    this.#beats.delete(source);
  }

  /**
   * Takes a report of the database: `missing` are the processes without a connection, `usage` the filled part of its queue, from 0 to 1.
   */
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
   * Notes that this process sends a sign of life at this position. While an earlier sign is on its way, the lag is measured from that one.
   */
  beats(position: number): void {
    this.#asked ??= this.#now();
    const last = this.#marks.at(-1);
    if (last !== undefined && (position <= last.position || this.#now() - last.at < this.#times.log / mostMarks)) return;
    this.#marks.push({ position, at: this.#now() });
  }

  /** The position up to which all messages are older than the log keeps them. */
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
