import type { CapturePlan } from "../plan/index.ts";
import type { Host } from "../process/host.ts";
import type { WindowKey, WindowState } from "./recording.ts";

/** Which runs of an interface this process records, and until when: what ends first, so many minutes or so many runs (spec/surfaces 16). */
export class Window {
  readonly key: WindowKey;
  readonly #host: Host;
  readonly #mode: "off" | "errors" | "all";
  readonly #ms: number;
  readonly #runs: number;
  /** Until the store has said when it really began, which may have been earlier. */
  #started: number;
  /** How many runs the store knows of, of all nodes. */
  #known = 0;
  /** Runs that the store has not been told of. */
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

  /** False for one that never ends. */
  get isBounded(): boolean {
    return this.#ms !== Number.POSITIVE_INFINITY || this.#runs !== Number.POSITIVE_INFINITY;
  }

  /** True when nothing more can be recorded; it stays so. */
  get over(): boolean {
    if (this.#mode === "off" || this.#isOver) return true;
    if (!this.isBounded) return false;
    this.#isOver = this.#known + this.#fresh >= this.#runs || this.#host.now() - this.#started >= this.#ms;
    return this.#isOver;
  }

  /** Whether a run of this status is recorded. A run with a status from 400 on has failed. */
  takes(status: number): boolean {
    return this.#mode === "all" || status >= 400;
  }

  /** One more run has ended, recorded or not; gives its place among those that the store has not been told of, from 1. */
  finished(): number {
    this.#fresh += 1;
    return this.#fresh;
  }

  /** Runs that the store is told of now. */
  told(): number {
    const fresh = this.#fresh;
    this.#fresh = 0;
    this.#known += fresh;
    return fresh;
  }

  /** The store did not take them. */
  untold(runs: number): void {
    this.#known -= runs;
    this.#fresh += runs;
  }

  /** Takes the answer of the store. */
  learn({ started, before }: WindowState, count: number): void {
    this.#started = Math.min(this.#started, started);
    this.#known = Math.max(this.#known, before + count);
  }

  /** Whether a run belongs to the window, that ended at this time and was so far among those which the store was told of together. */
  holds({ started, before }: WindowState, ended: number, place: number): boolean {
    return before + place <= this.#runs && ended - started < this.#ms;
  }
}

/** The mode in which an interface may record in this process: `PIPEWRIGHT_CAPTURE_MAX` is as much as any may. */
function bounded(mode: CapturePlan["mode"], most: string): "off" | CapturePlan["mode"] {
  if (most === "all") return mode;
  return most === "errors" ? "errors" : "off";
}
