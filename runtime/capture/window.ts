import type { CapturePlan } from "../plan/index.ts";
import type { Host } from "../process/host.ts";
import type { WindowKey, WindowState } from "./recording.ts";

/**
 * Decides which runs of an interface this process records, and until when: the window ends after its minutes or after its runs, whichever
 * comes first (spec/surfaces 16).
 */
export class Window {
  readonly key: WindowKey;
  readonly #host: Host;
  readonly #mode: "off" | "errors" | "all";
  readonly #ms: number;
  readonly #runs: number;
  /** When the window began, as far as this process knows; the store may know an earlier time. */
  #started: number;
  /** The number of runs of all nodes that the store has counted. */
  #known = 0;
  /** The number of runs that were not sent to the store yet. */
  #fresh = 0;
  #isOver = false;

  constructor({ mode, for_minutes, for_runs }: CapturePlan, key: WindowKey, host: Host) {
    this.key = key;
    this.#host = host;
    this.#mode = bounded(mode, host.env("PIPEWRIGHT_CAPTURE_MAX") || "all");
    this.#ms = (for_minutes ?? Number.POSITIVE_INFINITY) * 60_000;
    this.#runs = for_runs ?? Number.POSITIVE_INFINITY;
    this.#started = host.now();
  }

  /** False for a window that never ends. */
  get isBounded(): boolean {
    return this.#ms !== Number.POSITIVE_INFINITY || this.#runs !== Number.POSITIVE_INFINITY;
  }

  /** True when the window has ended; it stays so. */
  get over(): boolean {
    if (this.#mode === "off" || this.#isOver) return true;
    if (!this.isBounded) return false;
    this.#isOver = this.#known + this.#fresh >= this.#runs || this.#host.now() - this.#started >= this.#ms;
    return this.#isOver;
  }

  /** True when a run of this status is recorded. A run with a status from 400 on has failed. */
  takes(status: number): boolean {
    return this.#mode === "all" || status >= 400;
  }

  /** Counts a run that has ended, recorded or not. The result is its place among the runs that the store has not counted yet, from 1. */
  finished(): number {
    this.#fresh += 1;
    return this.#fresh;
  }

  /** Marks the runs that have not been sent to the store as sent; gives their number. */
  takeUnsent(): number {
    const fresh = this.#fresh;
    this.#fresh = 0;
    this.#known += fresh;
    return fresh;
  }

  /** Counts runs as unsent again, because the store did not accept them. */
  putBack(runs: number): void {
    this.#known -= runs;
    this.#fresh += runs;
  }

  /** Learns the start and the count of the window from an answer of the store. */
  learn({ started, before }: WindowState, count: number): void {
    this.#started = Math.min(this.#started, started);
    this.#known = Math.max(this.#known, before + count);
  }

  /**
   * True when a run belongs to the window. `ended` is the time of its end, and `place` its place among the runs that were sent to the store
   * together.
   */
  holds({ started, before }: WindowState, ended: number, place: number): boolean {
    return before + place <= this.#runs && ended - started < this.#ms;
  }
}

/** The mode in which this process records for an interface that asks for `mode`: no interface gets more than `PIPEWRIGHT_CAPTURE_MAX`. */
function bounded(mode: CapturePlan["mode"], most: string): "off" | CapturePlan["mode"] {
  if (most === "all") return mode;
  return most === "errors" ? "errors" : "off";
}
