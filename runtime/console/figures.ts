import type { Measured } from "../metrics/meter.ts";
import type { Host, Resource } from "../process/host.ts";
import type { JsonObject } from "../value/json.ts";

/** The milliseconds of one bar of recent figures, and the number of bars that are kept. */
const bar = { ms: 5_000, count: 24 } as const;

/** The number of durations that are kept for an interface: its percentiles are those of its latest runs. */
const mostDurations = 128;

/** The most interfaces that are counted. Their names come from the configurations, so that this is a second bound. */
const mostInterfaces = 20_000;

/** Counts the runs of a process since its start, for the console. Memory is bounded by the number of interfaces. */
export class Figures implements Resource {
  readonly #host: Host;
  readonly #tallies = new Map<string, Tally>();

  constructor(host: Host) {
    this.#host = host;
  }

  close(): void {
    this.#tallies.clear();
  }

  /** Notes that a run begins; the caller calls the result with its status. */
  begins({ config, interface: target }: Measured): (status: number) => void {
    const began = this.#host.monotonic();
    return (status) => this.#tallyOf(config, target)?.add(status, this.#host.monotonic(), began);
  }

  /** The figures of all interfaces that have run, or of one configuration or interface. */
  list(config: string | undefined, target: string | undefined): JsonObject[] {
    const now = this.#host.monotonic();
    return [...this.#tallies.values()]
      .filter((tally) => (config === undefined || tally.config === config) && (target === undefined || tally.interface === target))
      .map((tally) => tally.figures(now));
  }

  #tallyOf(config: string, target: string): Tally | undefined {
    const key = JSON.stringify([config, target]);
    const earlier = this.#tallies.get(key);
    if (earlier !== undefined || this.#tallies.size >= mostInterfaces) return earlier;
    const tally = new Tally(config, target);
    this.#tallies.set(key, tally);
    return tally;
  }
}

/** The figures of one interface. */
class Tally {
  readonly config: string;
  readonly interface: string;
  #runs = 0;
  #refused = 0;
  #failed = 0;
  readonly #durations = new Float64Array(mostDurations);
  readonly #bars = new Uint32Array(bar.count);
  readonly #failedBars = new Uint32Array(bar.count);
  /** The number of the latest bar, counted from time 0 of the clock. */
  #latest = 0;

  constructor(config: string, target: string) {
    this.config = config;
    this.interface = target;
  }

  add(status: number, now: number, began: number): void {
    this.#durations[this.#runs % mostDurations] = now - began;
    this.#runs += 1;
    const isFailed = status >= 500;
    if (isFailed) this.#failed += 1;
    else if (status >= 400) this.#refused += 1;
    const place = this.#turn(now);
    this.#bars[place] = (this.#bars[place] ?? 0) + 1;
    if (isFailed) this.#failedBars[place] = (this.#failedBars[place] ?? 0) + 1;
  }

  figures(now: number): JsonObject {
    const place = this.#turn(now);
    const sorted = this.#durations.slice(0, Math.min(this.#runs, mostDurations)).sort();
    const percentile = (share: number): number => Math.round((sorted[Math.ceil(share * sorted.length) - 1] ?? 0) * 10) / 10;
    const inOrder = (bars: Uint32Array): number[] => Array.from({ length: bar.count }, (_, i) => bars[(place + 1 + i) % bar.count] ?? 0);
    return {
      config: this.config,
      interface: this.interface,
      runs: this.#runs,
      refused: this.#refused,
      failed: this.#failed,
      p50: percentile(0.5),
      p95: percentile(0.95),
      bars: inOrder(this.#bars),
      failed_bars: inOrder(this.#failedBars),
    };
  }

  /** Empties the bars of the time without runs; gives the index of the current bar. */
  #turn(now: number): number {
    const present = Math.floor(now / bar.ms);
    const passed = Math.min(present - this.#latest, bar.count);
    for (let back = 0; back < passed; back++) {
      const place = (present - back) % bar.count;
      this.#bars[place] = 0;
      this.#failedBars[place] = 0;
    }
    this.#latest = Math.max(present, this.#latest);
    return this.#latest % bar.count;
  }
}

/** The milliseconds of a bar, for the page. */
export const barMs = bar.ms;

/** The figures of a process. */
export const figuresOf = (host: Host): Figures => host.resource("figures", () => new Figures(host));
