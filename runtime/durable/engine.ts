import type { Log } from "../process/host.ts";
import { isOutage } from "../store/outage.ts";
import type { ClaimedRun, Held, RunStore } from "../store/runs.ts";
import { Failure } from "../value/failure.ts";
import { stackOf } from "../value/thrown.ts";
import { type EngineSettings, usualSettings } from "./engine-settings.ts";
import { Presence } from "./presence.ts";
import { StoreHealth } from "./store-health.ts";
import { Loop, type Timers } from "./timers.ts";
import { Unread } from "./unread.ts";

/** Milliseconds until a run that could not be read is tried again. */
const putOffMs = 60_000;

/** Milliseconds that a process at its end waits for a store that does not answer. */
const leaveMs = 5_000;

/** The store refuses a call, and would refuse each repetition of it. */
export class Broken extends Error {}

/** Everything that an engine takes from outside: clock, timers and store, so that a test can replace them. */
export interface EngineParts {
  readonly store: RunStore;
  /** True when the store outlives the process. */
  readonly isLasting: boolean;
  /** The name of this process, unique among all processes of all times. */
  readonly node: string;
  readonly timers: Timers;
  readonly log: Log;
  readonly settings?: EngineSettings;
}

/** A run that this node holds. */
export interface HeldRun extends Held {
  /** When the last request that confirmed the lease was sent, by the monotonic clock. */
  confirmed: number;
  /** Starts actions that were held, if they may start. */
  readonly goOn: () => void;
  /** Called when the run belongs to another node: this process stops all work on it. */
  readonly fence: () => void;
  /** Called when the process ends: no further action starts here, unless a caller waits for the answer. */
  readonly handOver: () => void;
}

/** Continues a run that was claimed; `confirmed` is the time at which the claim was sent. */
export type Resume = (run: ClaimedRun, confirmed: number) => void;

/**
 * The durable runs of a node (spec/surfaces 14). The engine claims due runs, renews their leases, and notices nodes that have ended. The
 * epochs of the store alone make this safe; the engine adds that nothing begins on a lease that may be over.
 */
export class Engine {
  readonly store: RunStore;
  readonly node: string;
  readonly timers: Timers;
  readonly settings: EngineSettings;
  readonly isLasting: boolean;
  readonly presence: Presence;
  readonly health: StoreHealth;
  readonly unread: Unread;
  readonly #log: Log;
  readonly #held = new Set<HeldRun>();
  readonly #plans = new Map<string, Resume>();
  readonly #renewing: Loop;
  readonly #claiming: Loop;
  #taken = 0;
  #polledAt = Number.NEGATIVE_INFINITY;
  #dueAt = Number.POSITIVE_INFINITY;
  /** True once the process, which is about to end, has given up waiting for the store. */
  #hasLeft = false;
  #isHandingOver = false;
  #isClosed = false;

  constructor({ store, isLasting, node, timers, log, settings = usualSettings }: EngineParts) {
    this.store = store;
    this.isLasting = isLasting;
    this.node = node;
    this.timers = timers;
    this.settings = settings;
    this.#log = log;
    this.unread = new Unread(timers.monotonic);
    this.presence = new Presence(store, node, timers.monotonic, () => {
      if (!this.#isClosed) this.#renewing.wake();
    });
    const failed = (): void => this.#claiming.start(settings.pollMs);
    this.health = new StoreHealth({ timers, log, lastsMs: settings.outageMs, failed });
    this.#renewing = new Loop(timers, () => this.#renew());
    this.#claiming = new Loop(timers, () => this.#claim());
  }

  get lease(): { readonly node: string; readonly ms: number } {
    return { node: this.node, ms: this.settings.leaseMs };
  }

  /** The number of runs that the node holds. */
  get held(): number {
    return this.#held.size;
  }

  /** True once the process is about to end. */
  get isHandingOver(): boolean {
    return this.#isHandingOver;
  }

  /** True when an effect of the run may begin: a recent request confirmed its lease, and it was sent while other nodes saw this one. */
  isConfirmed({ confirmed }: HeldRun): boolean {
    return confirmed >= this.presence.seenAt && this.timers.monotonic() - confirmed < (this.settings.leaseMs * 2) / 3;
  }

  /** Claims runs of these plans until the caller calls the result. */
  serve(plans: readonly string[], resume: Resume): () => void {
    for (const plan of plans) this.#plans.set(plan, resume);
    this.#isHandingOver = false;
    this.#hasLeft = false;
    this.wake();
    return () => {
      for (const plan of plans) if (this.#plans.get(plan) === resume) this.#plans.delete(plan);
    };
  }

  /** True while the engine claims runs of any plan. */
  get isServing(): boolean {
    return this.#plans.size > 0;
  }

  /** Hands all runs over: each ends its action first. */
  handOver(): void {
    this.#isHandingOver = true;
    this.#plans.clear();
    for (const run of [...this.#held]) run.handOver();
  }

  /** Counts a run as held by the node, until `drop`. `isTaken` is true for a run that has begun elsewhere or earlier. */
  hold(run: HeldRun, isTaken: boolean): void {
    this.#held.add(run);
    if (isTaken) this.#taken += 1;
    this.#renewing.start(this.settings.renewMs);
    if (!this.presence.isKnown) this.#claiming.wake();
  }

  drop(run: HeldRun, wasTaken: boolean): void {
    if (!this.#held.delete(run) || !wasTaken) return;
    this.#taken -= 1;
    // A run that could not be claimed may wait for this free place.
    if (this.#taken === this.settings.mostTaken - 1) this.wake();
  }

  /** Looks for due runs soon. */
  wake(): void {
    if (this.#isClosed || this.#isHandingOver) return;
    this.#dueAt = this.timers.monotonic();
    this.#claiming.wake();
  }

  /**
   * Repeats a call of the store until it is answered, while `isWanted` gives true; a call whose outcome is unknown may be repeated. Gives
   * undefined when a process that is about to end has waited in vain. Throws `Broken` where a repetition would not change the answer.
   */
  async insist<Answer>(ask: () => Promise<Answer>, isWanted: () => boolean): Promise<Answer | undefined> {
    for (let pause = 50; isWanted(); pause = Math.min(2 * pause, this.settings.outageMs)) {
      try {
        return await ask();
      } catch (error) {
        if (!isWanted()) return undefined;
        if (!isOutage(error)) throw this.#refused(error);
        this.health.failed(error);
        if (this.#isHandingOver && this.health.downMs >= leaveMs) {
          this.#leave();
          return undefined;
        }
        await new Promise<void>((resolve) => void this.timers.after(pause, resolve));
      }
    }
    return undefined;
  }

  /** Repeats a call of the store as `insist` does, without a caller that waits for it. A refusal is only logged. */
  insistAlone(ask: () => Promise<unknown>): void {
    this.insist(ask, () => !this.#isClosed).catch(() => undefined);
  }

  /** Logs once that runs leave the process and that the store does not know of it. */
  #leave(): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    const rest = "its runs go on at another node or at the next start, from the last action that was stored";
    this.#log("warn", `durable runs: the process ends without its store: ${rest}`, { runs: this.held });
  }

  /** Logs why the store refuses a call. A message of the database goes to the log only, not to the caller. */
  #refused(error: unknown): Broken {
    const ours = error instanceof Failure ? error.message : undefined;
    this.#log("error", "durable runs: the store refuses a call", { reason: ours ?? stackOf(error) });
    return new Broken(ours ?? "the run store refuses it");
  }

  /** Notes why a call that is not repeated has failed; true when the store may answer the same call later. */
  gaveUp(error: unknown): boolean {
    const isDown = isOutage(error);
    if (isDown) this.health.failed(error);
    else this.#refused(error);
    return isDown;
  }

  /** Releases a run that cannot be read here, for `putOffMs`. */
  putOff(held: Held): void {
    this.unread.add(held.id);
    this.insistAlone(async () => this.store.checkpoint(held, [], { release: { at: (await this.store.now()) + putOffMs } }));
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Ends everything in this process without a call of the store: the remaining leases expire. */
  close(): void {
    this.#isClosed = true;
    this.#renewing.stop();
    this.#claiming.stop();
    for (const run of [...this.#held]) run.fence();
    this.#held.clear();
  }

  /** Renews the leases of all runs. Gives the milliseconds until the next turn; undefined when the node holds no run. */
  async #renew(): Promise<number | undefined> {
    const { renewMs, pollMs } = this.settings;
    const held = [...this.#held];
    if (held.length === 0) return undefined;
    const sent = this.timers.monotonic();
    try {
      const lost = new Set(
        await this.store.renew(
          this.lease,
          held.map(({ id, epoch }) => ({ id, epoch })),
        ),
      );
      if (lost.size < held.length) this.health.written();
      for (const run of held) {
        if (!this.#held.has(run)) continue;
        if (lost.has(run.id)) run.fence();
        else {
          run.confirmed = sent;
          run.goOn();
        }
      }
      return renewMs;
    } catch (error) {
      this.health.failed(error);
      return pollMs;
    }
  }

  /** Claims the due runs. Gives the milliseconds until the next turn. */
  async #claim(): Promise<number | undefined> {
    const { pollMs } = this.settings;
    try {
      await this.presence.attend();
      if (!this.health.isAnswered) await this.#probe();
      if (this.#plans.size === 0) return undefined;
      if ((await this.store.expireGone()) > 0) this.#dueAt = this.timers.monotonic();
      await this.#look();
      return Math.max(0, Math.min(pollMs, this.#dueAt - this.timers.monotonic()));
    } catch (error) {
      this.health.failed(error);
      return pollMs;
    }
  }

  /** Finds out whether the store can be written again. */
  async #probe(): Promise<void> {
    await this.store.probe(this.node);
    this.health.written();
  }

  /** Claims due runs, and asks the store when the next run is due, if that is unknown. */
  async #look(): Promise<void> {
    const { pollMs, mostTaken } = this.settings;
    const { timers, store } = this;
    const plans = [...this.#plans.keys()];
    for (;;) {
      if (timers.monotonic() >= this.#dueAt && !this.#isHandingOver && this.#taken < mostTaken) {
        const sent = timers.monotonic();
        this.#dueAt = Number.POSITIVE_INFINITY;
        const limit = mostTaken - this.#taken;
        const claimed = await store.claim(this.lease, plans, limit);
        for (const run of claimed) this.#plans.get(run.plan)?.(run, sent);
        this.#polledAt = Number.NEGATIVE_INFINITY;
      }
      const now = timers.monotonic();
      // A turn may come slightly early, so that half of the time counts as all of it.
      if (now - this.#polledAt < pollMs / 2) return;
      this.#polledAt = now;
      const ms = await store.nextDue(plans);
      if (ms !== undefined) this.#dueAt = Math.min(this.#dueAt, now + ms);
      if (ms === undefined || ms > 0 || this.#taken >= mostTaken) return;
    }
  }
}
