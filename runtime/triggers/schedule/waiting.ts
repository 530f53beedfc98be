import { bundle } from "../../capture/bundle.ts";
import type { Host } from "../../process/host.ts";
import { stateAddress } from "../../state/durability.ts";
import { isOutage } from "../../store/outage.ts";
import type { ClaimedRun, Held, NewRun, RunStore } from "../../store/runs.ts";
import { isObject, type Json } from "../../value/json.ts";
import { messageOf } from "../../value/thrown.ts";
import type { Owner } from "./claims.ts";

/** Milliseconds between two looks for due attempts: only the store knows attempts of processes that have ended. */
const pollMs = 1_000;

/** Milliseconds between two looks of a process that adds no attempts: it only drops those of an earlier version. */
const idlePollMs = 60_000;

/** Milliseconds within which a process must accept an attempt, before another process may take it. */
const leaseMs = 15_000;

/** Milliseconds until an attempt that cannot be made yet is tried again. */
const laterMs = 100;

/** Milliseconds until an attempt that could not be read is tried again. */
const putOffMs = 60_000;

/** The most attempts that are claimed at once. */
const takenAtOnce = 10;

/** An attempt of a schedule that waits for its time. */
export interface WaitingAttempt {
  /** The due time of the schedule. */
  readonly at: number;
  readonly number: number;
  /** The next due time of the schedule: from then on the attempt is not made. */
  readonly before?: number | undefined;
  /** The run of the attempt before this one; `status` is its status. */
  readonly run: string;
  readonly status: number;
}

/**
 * Makes an attempt whose time has come. `accept` records in the store that this node makes it; false when another node has it already. The
 * result is false when the attempt has to wait a little longer.
 */
export type Taker = (attempt: WaitingAttempt, accept: () => Promise<boolean>) => Promise<boolean>;

/**
 * Waiting attempts, as runs of the store that are due at their time (spec/surfaces 2). The node that claims an attempt makes it, so that
 * the attempt outlives the process that has planned it. The store counts it as ended before it begins, so that it is made once at most.
 */
export class Waiting {
  readonly #host: Host;
  readonly #node: string;
  readonly #signal: AbortSignal;
  readonly #takers = new Map<string, Taker>();
  #pollMs = idlePollMs;
  #isDown = false;

  constructor(host: Host, signal: AbortSignal) {
    this.#host = host;
    this.#node = host.uuid();
    this.#signal = signal;
  }

  /** True where a store outlives the process. */
  get isLasting(): boolean {
    return stateAddress(this.#host) !== "";
  }

  /** Takes attempts of this interface in this process; `adds` is true when it may add new ones. */
  serve(owner: Owner, taker: Taker, adds: boolean): void {
    if (adds) this.#pollMs = pollMs;
    this.#takers.set(planOf(owner), taker);
  }

  /**
   * Stores an attempt, however long the store is away. "over" when the process ends, or the next due time comes, before the store answers;
   * "here" when no store would take it.
   */
  async keep(owner: Owner, attempt: WaitingAttempt, ms: number): Promise<"kept" | "here" | "over"> {
    if (!this.isLasting) return "here";
    const { now } = this.#host;
    const due = now() + ms;
    const text = { id: this.#host.uuid(), ...owner, bundle, plan: planOf(owner), input: JSON.stringify(attempt), seed: "" };
    for (;;) {
      try {
        await this.#create(text, Math.max(0, due - now()));
        return "kept";
      } catch (error) {
        this.#failed(error);
        if (!isOutage(error)) return "here";
      }
      const isTooLate = attempt.before !== undefined && now() >= attempt.before;
      if (isTooLate || !(await this.#sleeps(pollMs))) return "over";
    }
  }

  /** Makes due attempts until the signal aborts. */
  async follow(): Promise<void> {
    if (this.#takers.size === 0 || !this.isLasting) return;
    for (let ms = 0; await this.#sleeps(ms); ) {
      try {
        ms = await this.#look(await this.#store());
        this.#isDown = false;
      } catch (error) {
        // A process that ends closes its store.
        if (!this.#signal.aborted) this.#failed(error);
        ms = pollMs;
      }
    }
  }

  /** Claims due attempts; gives the milliseconds until the next look. */
  async #look(store: RunStore): Promise<number> {
    const plans = [...this.#takers.keys()];
    const ms = await store.nextDue(plans);
    if (ms === undefined || ms > 0) return Math.max(1, Math.min(ms ?? this.#pollMs, this.#pollMs));
    const claimed = await store.claim({ node: this.#node, ms: leaseMs }, plans, takenAtOnce);
    for (const run of claimed) void this.#offer(store, run).catch((error: unknown) => this.#failed(error));
    // Rows of old attempts are useless.
    await store.prune((await store.now()) - this.#host.limits.runsKeptMs);
    return claimed.length > 0 ? laterMs : this.#pollMs;
  }

  async #offer(store: RunStore, run: ClaimedRun): Promise<void> {
    const attempt = read(run.input);
    const taker = this.#takers.get(run.plan);
    const later = async (ms: number): Promise<void> => {
      await store.checkpoint(run, [], { release: { at: (await store.now()) + ms } });
    };
    if (attempt === undefined || taker === undefined) {
      const { config, interface: target, id } = run;
      const why = "an attempt of a schedule cannot be read, so it waits: was it sealed with another PIPEWRIGHT_RUNS_KEY?";
      this.#host.log("error", why, { config, interface: target, run_uuid: id });
      await later(putOffMs);
    } else if (!(await taker(attempt, () => this.#accept(store, run, attempt)))) await later(this.#signal.aborted ? 0 : laterMs);
  }

  /** Ends the attempt in the store, so that no other node makes it. */
  async #accept(store: RunStore, held: Held, { number }: WaitingAttempt): Promise<boolean> {
    const result = JSON.stringify({ status: 202, body: `attempt ${number} was made` });
    for (;;) {
      try {
        return (await store.checkpoint(held, [], { finish: { status: "done", result } })) === "ok";
      } catch (error) {
        this.#failed(error);
        if (!isOutage(error) || !(await this.#sleeps(laterMs))) return false;
      }
    }
  }

  async #create(run: NewRun, ms: number): Promise<void> {
    const store = await this.#store();
    await store.create({ ...run, wakeAt: (await store.now()) + ms });
  }

  /** The store; its drivers are loaded at the first use. */
  async #store(): Promise<RunStore> {
    return (await import("../../store/open-runs.ts")).runsOf(this.#host);
  }

  /** Logs an outage of the store, once until it answers again. */
  #failed(error: unknown): void {
    const reason = messageOf(error);
    if (!this.#isDown) this.#host.log("error", `schedules: attempts that wait cannot be reached in the store: ${reason}`);
    this.#isDown = true;
  }

  /** Waits; false when the signal has aborted. */
  #sleeps(ms: number): Promise<boolean> {
    return this.#host.sleep(ms, this.#signal).then(
      () => true,
      () => false,
    );
  }
}

/** The plan under which attempts are stored: every version with this interface can make them. */
const planOf = ({ config, interface: target }: Owner): string => `schedule ${JSON.stringify([config, target])}`;

/** Reads an attempt; undefined when its text was sealed with another key, or written by another program. */
function read(text: string): WaitingAttempt | undefined {
  let value: Json;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(value)) return undefined;
  const { at, number, before, run, status } = value;
  if (typeof at !== "number" || typeof number !== "number" || typeof run !== "string" || typeof status !== "number") return undefined;
  return { at, number, run, status, ...(typeof before === "number" ? { before } : {}) };
}
