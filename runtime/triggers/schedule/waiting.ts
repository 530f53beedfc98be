import { bundle } from "../../capture/bundle.ts";
import type { Host } from "../../process/host.ts";
import { stateAddress } from "../../state/durability.ts";
import { isOutage } from "../../store/outage.ts";
import type { ClaimedRun, Held, NewRun, RunStore } from "../../store/runs.ts";
import { isObject, type Json } from "../../value/json.ts";
import { messageOf } from "../../value/thrown.ts";
import type { Owner } from "./claims.ts";

/** The milliseconds between two questions of what is due: attempts of processes that are gone are known to the store alone. */
const pollMs = 1_000;

/** The milliseconds between two questions of a process that adds no attempts: it drops those of the version before it. */
const idlePollMs = 60_000;

/** How long a process may take to say that it makes an attempt, before another one may take it. */
const leaseMs = 15_000;

/** An attempt that cannot be made yet is looked at again after so many milliseconds. */
const laterMs = 100;

/** An attempt that cannot be read is looked at again after so many milliseconds. */
const putOffMs = 60_000;

/** Attempts that are taken at once. */
const takenAtOnce = 10;

/** An attempt of a schedule that waits for its time. */
export interface WaitingAttempt {
  /** The time of the schedule. */
  readonly at: number;
  readonly number: number;
  /** The next time of the schedule: from then on the attempt is not made. */
  readonly before?: number | undefined;
  /** The run of the attempt before it, and its status. */
  readonly run: string;
  readonly status: number;
}

/**
 * Makes an attempt whose time has come. `accept` says in the store that it is made here; false when it is another node's by then. The
 * result is false when the attempt has to wait a little longer.
 */
export type Taker = (attempt: WaitingAttempt, accept: () => Promise<boolean>) => Promise<boolean>;

/**
 * Attempts that wait, as runs of the store that are due at their time (spec/surfaces 2): whichever node claims one makes it, so that it
 * outlives the process. It is over in the store before it begins, and so made once at most.
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

  /** Attempts of this interface are taken here; `adds`: there may be new ones. */
  serve(owner: Owner, taker: Taker, adds: boolean): void {
    if (adds) this.#pollMs = pollMs;
    this.#takers.set(planOf(owner), taker);
  }

  /**
   * Stores an attempt, however long the store is away: "over" when the process ends, or the next time comes, before it answers. "here" when
   * there is no store that would take it.
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

  /** Takes what is due, until the signal aborts. */
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

  /** Gives the milliseconds until the next look. */
  async #look(store: RunStore): Promise<number> {
    const plans = [...this.#takers.keys()];
    const ms = await store.nextDue(plans);
    if (ms === undefined || ms > 0) return Math.max(1, Math.min(ms ?? this.#pollMs, this.#pollMs));
    const claimed = await store.claim({ node: this.#node, ms: leaseMs }, plans, takenAtOnce);
    for (const run of claimed) void this.#offer(store, run).catch((error: unknown) => this.#failed(error));
    // Rows of attempts that were made long ago are of use to nobody.
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

  /** The attempt is over in the store: nobody else makes it. */
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

  /** The store; its drivers are loaded on first use. */
  async #store(): Promise<RunStore> {
    return (await import("../../store/open-runs.ts")).runsOf(this.#host);
  }

  /** One record for each time that the store is away. */
  #failed(error: unknown): void {
    const reason = messageOf(error);
    if (!this.#isDown) this.#host.log("error", `schedules: attempts that wait cannot be reached in the store: ${reason}`);
    this.#isDown = true;
  }

  /** False when the signal has aborted. */
  #sleeps(ms: number): Promise<boolean> {
    return this.#host.sleep(ms, this.#signal).then(
      () => true,
      () => false,
    );
  }
}

/** Runs of the store are found by their plans: an attempt can be made by every version that has the interface. */
const planOf = ({ config, interface: target }: Owner): string => `schedule ${JSON.stringify([config, target])}`;

/** Undefined when the text was sealed with another key, or written by somebody else. */
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
