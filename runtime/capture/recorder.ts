import type { Host, Resource } from "../process/host.ts";
import type { Config } from "../run/interface.ts";
import { messageOf } from "../value/thrown.ts";
import type { Entry, History } from "./recording.ts";
import type { Window } from "./window.ts";

/** The most runs that wait to be written, and the most bytes of them: a slow store must not fill the memory (spec/surfaces 16). */
const most = { runs: 1_000, bytes: 67_108_864 } as const;

/** The bounds of one write. */
const batch = { runs: 500, bytes: 4_194_304 } as const;

/** Milliseconds for which runs collect before they are written. */
const gatherMs = 100;

/** Milliseconds until the next attempt after the store did not answer, at first and at most. */
const patience = { first: 1_000, longest: 30_000 } as const;

/** Milliseconds that a shutdown waits for the store. */
const lastWaitMs = 5_000;

const pruneMs = 3_600_000;
const complainMs = 60_000;

interface Waiting {
  readonly entry: Entry;
  readonly config: Config;
  readonly bytes: number;
  /** The window of a bounded capture. The store decides whether the run belongs to it, since the window may have ended on another node. */
  window: Window | undefined;
  /** The place of the run among those that the store has not counted yet. */
  place: number;
}

/**
 * Writes runs to the store in the background: no run waits for a write, and a run that the store has no room for is dropped and counted.
 */
export class Recorder implements Resource {
  readonly history: History;
  readonly #host: Host;
  /** Runs that wait to be written, in the order in which they ended. */
  #waiting: Waiting[] = [];
  #bytes = 0;
  readonly #windows = new Set<Window>();
  #timer: NodeJS.Timeout | undefined;
  #pruner: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;
  #pruning: Promise<void> | undefined;
  #failures = 0;
  #dropped = 0;
  #complained = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  constructor(host: Host, history: History) {
    this.#host = host;
    this.history = history;
  }

  get isFull(): boolean {
    return this.#isClosed || this.#waiting.length >= most.runs || this.#bytes >= most.bytes;
  }

  /** Called when a service that records begins: old runs are removed, and a window begins. */
  begin(window: Window): void {
    this.#keepShort();
    if (window.isBounded) this.#tell(window);
  }

  /** Counts a run that has ended and is not recorded. */
  finished(window: Window): void {
    window.finished();
    this.#tell(window);
  }

  add(window: Window, config: Config, entry: Entry): void {
    this.#keepShort();
    const bytes = Buffer.byteLength(entry.text);
    this.#bytes += bytes;
    const place = window.finished();
    this.#waiting.push({ entry, config, bytes, window: window.isBounded ? window : undefined, place });
    if (window.isBounded) this.#windows.add(window);
    this.#later(gatherMs);
  }

  /** Drops a run that has no room. */
  drop(window: Window, config: Config): void {
    if (window.isBounded) this.finished(window);
    this.#lose([config], "the store is too slow");
  }

  /** Writes the waiting runs. A shutdown calls this while it closes every other resource. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    clearInterval(this.#pruner);
    // The runs that the shutdown aborts end during these turns.
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
    this.#isClosed = true;
    const timer = new AbortController();
    const late = this.#host.sleep(lastWaitMs, timer.signal).catch(() => undefined);
    const rest = this.#writing?.then(() => this.#flush()) ?? this.#flush();
    // An interrupted removal would leave the file locked for the next process.
    await Promise.race([Promise.all([rest, this.#pruning]), late]);
    timer.abort();
    if (this.#waiting.length > 0) {
      this.#lose(
        this.#waiting.map(({ config }) => config),
        "the process has ended",
      );
    }
    await this.history.close();
  }

  /** Removes runs that are too old, now and then every hour. */
  #keepShort(): void {
    if (this.#pruner !== undefined) return;
    const prune = (): void => {
      this.#pruning = this.#prune();
    };
    this.#pruner = setInterval(prune, pruneMs).unref();
    prune();
  }

  #tell(window: Window): void {
    this.#windows.add(window);
    this.#later(gatherMs);
  }

  #later(ms: number): void {
    if (this.#timer !== undefined || this.#writing !== undefined || this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#flush();
    }, ms).unref();
  }

  /** Writes until no run waits, or the store does not answer: then it tries again later. Never rejects. */
  #flush(): Promise<void> {
    this.#writing ??= this.#write()
      .then(
        () => {
          this.#failures = 0;
        },
        (error: unknown) => this.#failed(error),
      )
      .finally(() => {
        this.#writing = undefined;
        const delay = this.#failures === 0 ? gatherMs : Math.min(patience.first * 2 ** (this.#failures - 1), patience.longest);
        if (this.#waiting.length + this.#windows.size > 0) this.#later(delay);
      });
    return this.#writing;
  }

  async #write(): Promise<void> {
    while (this.#waiting.length + this.#windows.size > 0) {
      for (const window of [...this.#windows]) await this.#judge(window);
      const runs = this.#batch();
      if (runs.size === 0) continue;
      await this.history.write([...runs].map(({ entry }) => entry));
      this.#forget(runs);
    }
  }

  /** Asks the store which of the waiting runs belong to a bounded capture. */
  async #judge(window: Window): Promise<void> {
    this.#windows.delete(window);
    const count = window.takeUnsent();
    const runs = this.#waiting.filter((each) => each.window === window);
    try {
      const state = await this.history.count(window.key, count, this.#host.now());
      window.learn(state, count);
      this.#forget(new Set(runs.filter(({ entry, place }) => !window.holds(state, entry.at + entry.ms, place))));
      for (const run of runs) run.window = undefined;
    } catch (error) {
      window.putBack(count);
      // The store has not counted these runs, so that runs which ended meanwhile come after them.
      for (const run of this.#waiting) if (run.window === window && !runs.includes(run)) run.place += count;
      this.#windows.add(window);
      throw error;
    }
  }

  #batch(): ReadonlySet<Waiting> {
    const runs = new Set<Waiting>();
    let bytes = 0;
    for (const run of this.#waiting) {
      if (run.window !== undefined) continue;
      bytes += run.bytes;
      if (runs.size >= batch.runs || (runs.size > 0 && bytes > batch.bytes)) break;
      runs.add(run);
    }
    return runs;
  }

  #forget(runs: ReadonlySet<Waiting>): void {
    this.#waiting = this.#waiting.filter((each) => !runs.has(each));
    for (const { bytes } of runs) this.#bytes -= bytes;
  }

  #failed(error: unknown): void {
    this.#failures += 1;
    const reason = messageOf(error);
    if (this.#failures === 1) this.#host.log("warn", `captured runs cannot be stored, it is tried again: ${reason}`);
  }

  async #prune(): Promise<void> {
    try {
      await this.history.prune(this.#host.now());
    } catch (error) {
      this.#failed(error);
    }
  }

  #lose(configs: readonly Config[], reason: string): void {
    // A closed host has no meter.
    if (!this.#isClosed) for (const config of configs) config.metrics?.(this.#host).uncaptured(config.name);
    this.#dropped += configs.length;
    const now = this.#host.monotonic();
    if (now - this.#complained < complainMs && !this.#isClosed) return;
    this.#complained = now;
    this.#host.log("warn", `captured runs are lost: ${reason}`, { lost: this.#dropped });
  }
}
