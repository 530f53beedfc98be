import type { Log } from "../process/host.ts";
import { isOutage } from "../store/outage.ts";
import type { ClaimedRun, Held, RunStore } from "../store/runs.ts";
import { Failure } from "../value/failure.ts";
import { stackOf } from "../value/stack-of.ts";
import { type EngineSettings, usualSettings } from "./engine-settings.ts";
import { Presence } from "./presence.ts";
import { Loop, type Timers } from "./timers.ts";

/** Milliseconds until a run is looked at again that could not be read. */
const putOffMs = 60_000;

/** The store will never take it, however often it is asked. */
export class Broken extends Error {}

/** The outside of an engine: clock, timers and store come from here, so that a test can put others in their place. */
export interface EngineParts {
  readonly store: RunStore;
  /** True when the store outlives the process. */
  readonly isLasting: boolean;
  /** The name of this process among all that have ever been. */
  readonly node: string;
  readonly timers: Timers;
  readonly log: Log;
  readonly settings?: EngineSettings;
}

/** A run that this node holds. */
export interface HeldRun extends Held {
  /** By the monotonic clock: when the last request was sent that has confirmed the lease. */
  confirmed: number;
  /** Actions that were held may start. */
  readonly goOn: () => void;
  /** The run belongs to another node: nothing of it happens here any more. */
  readonly fence: () => void;
  /** The process ends: no further action starts here, unless somebody waits for the answer. */
  readonly handOver: () => void;
}

/** Goes on with a run that was claimed; `confirmed` is when the claim was sent. */
export type Resume = (run: ClaimedRun, confirmed: number) => void;

/**
 * The durable runs of a node (spec/surfaces 14): it claims the ones that are due, makes their leases anew, and notices nodes that have
 * ended. Safety rests on the epochs of the store alone; what the engine adds is that nothing is begun on a lease that may be over.
 */
export class Engine {
  readonly store: RunStore;
  readonly node: string;
  readonly timers: Timers;
  readonly settings: EngineSettings;
  readonly isLasting: boolean;
  readonly presence: Presence;
  readonly #log: Log;
  readonly #held = new Set<HeldRun>();
  readonly #plans = new Map<string, Resume>();
  readonly #renewing: Loop;
  readonly #claiming: Loop;
  #taken = 0;
  #polledAt = Number.NEGATIVE_INFINITY;
  #dueAt = Number.POSITIVE_INFINITY;
  #downAt: number | undefined;
  #isHandingOver = false;
  #isClosed = false;

  constructor({ store, isLasting, node, timers, log, settings = usualSettings }: EngineParts) {
    this.store = store;
    this.isLasting = isLasting;
    this.node = node;
    this.timers = timers;
    this.settings = settings;
    this.#log = log;
    this.presence = new Presence(store, node, timers.monotonic, () => {
      if (!this.#isClosed) this.#renewing.wake();
    });
    this.#renewing = new Loop(timers, () => this.#renew());
    this.#claiming = new Loop(timers, () => this.#claim());
  }

  get lease(): { readonly node: string; readonly ms: number } {
    return { node: this.node, ms: this.settings.leaseMs };
  }

  /** True while the store has not answered lately: nobody need wait for it to find that out. */
  get isDown(): boolean {
    return this.#downAt !== undefined && this.timers.monotonic() - this.#downAt < this.settings.pollMs;
  }

  /** True unless the last call of the store has failed. */
  get isAnswered(): boolean {
    return this.#downAt === undefined;
  }

  /** How many runs the node holds. */
  get held(): number {
    return this.#held.size;
  }

  /** True once the process is about to end. */
  get isHandingOver(): boolean {
    return this.#isHandingOver;
  }

  /** True when an effect of the run may begin: its lease was confirmed by a request that was sent lately, and while others saw the node. */
  isConfirmed({ confirmed }: HeldRun): boolean {
    return confirmed >= this.presence.seenAt && this.timers.monotonic() - confirmed < (this.settings.leaseMs * 2) / 3;
  }

  /** Claims runs of these plans from now on. The result ends that. */
  serve(plans: readonly string[], resume: Resume): () => void {
    for (const plan of plans) this.#plans.set(plan, resume);
    this.#isHandingOver = false;
    this.wake();
    return () => {
      for (const plan of plans) if (this.#plans.get(plan) === resume) this.#plans.delete(plan);
    };
  }

  /** True while some plans are claimed. */
  get isServing(): boolean {
    return this.#plans.size > 0;
  }

  /** Hands all runs over: each ends its action first. */
  handOver(): void {
    this.#isHandingOver = true;
    this.#plans.clear();
    for (const run of [...this.#held]) run.handOver();
  }

  /** The node holds a run, until `drop`. `isTaken`: it has begun elsewhere or earlier. */
  hold(run: HeldRun, isTaken: boolean): void {
    this.#held.add(run);
    if (isTaken) this.#taken += 1;
    this.#renewing.start(this.settings.renewMs);
    if (!this.presence.isKnown) this.#claiming.wake();
  }

  drop(run: HeldRun, wasTaken: boolean): void {
    if (!this.#held.delete(run) || !wasTaken) return;
    this.#taken -= 1;
    // Others may wait for its place.
    if (this.#taken === this.settings.mostTaken - 1) this.wake();
  }

  /** Something may be due now. */
  wake(): void {
    if (this.#isClosed || this.#isHandingOver) return;
    this.#dueAt = this.timers.monotonic();
    this.#claiming.wake();
  }

  /** The store has answered. */
  answered(): void {
    if (this.#downAt !== undefined) this.#log("info", "durable runs: the store answers again");
    this.#downAt = undefined;
  }

  /** The store has not answered. */
  failed(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    if (this.#downAt === undefined) this.#log("error", `durable runs: the store does not answer: ${reason}`);
    this.#downAt = this.timers.monotonic();
  }

  /**
   * Asks the store until it answers, as long as somebody wants to know: a call whose outcome is unknown may be made again. Throws `Broken`
   * where no repetition would change the answer.
   */
  async insist<Answer>(ask: () => Promise<Answer>, isWanted: () => boolean): Promise<Answer | undefined> {
    for (let pause = 50; isWanted(); pause = Math.min(2 * pause, this.settings.pollMs)) {
      try {
        const answer = await ask();
        this.answered();
        return answer;
      } catch (error) {
        if (!isWanted()) return undefined;
        if (!isOutage(error)) throw this.#refused(error);
        this.failed(error);
        await new Promise<void>((resolve) => void this.timers.after(pause, resolve));
      }
    }
    return undefined;
  }

  /** Likewise where nobody waits for the answer. */
  see(ask: () => Promise<unknown>): void {
    // Whatever is refused is in the log.
    this.insist(ask, () => !this.#isClosed).catch(() => undefined);
  }

  /** Logs why something is refused. An error of the database is for the log alone. */
  #refused(error: unknown): Broken {
    const ours = error instanceof Failure ? error.message : undefined;
    this.#log("error", "durable runs: the store refuses a call", { reason: ours ?? stackOf(error) });
    return new Broken(ours ?? "the run store refuses it");
  }

  /** Notes why a call that nobody repeats has failed; true when the store may answer it later. */
  gaveUp(error: unknown): boolean {
    const isDown = isOutage(error);
    if (isDown) this.failed(error);
    else this.#refused(error);
    return isDown;
  }

  /** Lets go of a run that cannot go on here, for a while. */
  putOff(held: Held): void {
    this.see(async () => this.store.checkpoint(held, [], { release: { at: (await this.store.now()) + putOffMs } }));
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Ends everything here without a word to the store: leases that are left are over by themselves. */
  close(): void {
    this.#isClosed = true;
    this.#renewing.stop();
    this.#claiming.stop();
    for (const run of [...this.#held]) run.fence();
    this.#held.clear();
  }

  /** Gives the milliseconds until the next turn; undefined when nothing is held. */
  async #renew(): Promise<number | undefined> {
    const { renewMs, probeMs } = this.settings;
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
      this.answered();
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
      this.failed(error);
      return probeMs;
    }
  }

  /** Takes what is due; gives the milliseconds until the next turn. */
  async #claim(): Promise<number | undefined> {
    const { probeMs } = this.settings;
    try {
      await this.presence.attend();
      if (this.#plans.size === 0) return undefined;
      if ((await this.store.expireGone()) > 0) this.#dueAt = this.timers.monotonic();
      await this.#look();
      this.answered();
      return Math.max(0, Math.min(probeMs, this.#dueAt - this.timers.monotonic()));
    } catch (error) {
      this.failed(error);
      return probeMs;
    }
  }

  /** Asks what is due, when that is not known, and claims it. */
  async #look(): Promise<void> {
    const { probeMs, mostTaken } = this.settings;
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
      // A turn may come a little early.
      if (now - this.#polledAt < probeMs / 2) return;
      this.#polledAt = now;
      const ms = await store.nextDue(plans);
      if (ms !== undefined) this.#dueAt = Math.min(this.#dueAt, now + ms);
      if (ms === undefined || ms > 0 || this.#taken >= mostTaken) return;
    }
  }
}
