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

/** Milliseconds until a run is looked at again that could not be read. */
const putOffMs = 60_000;

/** Milliseconds that a process at its end waits for a store that takes nothing. */
const leaveMs = 5_000;

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
  /** True once a process that is about to end waits for the store no more. */
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
    this.#hasLeft = false;
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

  /**
   * Asks the store until it answers, as long as somebody wants to know: a call whose outcome is unknown may be made again. Gives undefined
   * when a process that is about to end has waited in vain. Throws `Broken` where no repetition would change the answer.
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

  /** Asks the store as `insist` does, when nobody waits for the answer. A refusal is only logged. */
  insistAlone(ask: () => Promise<unknown>): void {
    this.insist(ask, () => !this.#isClosed).catch(() => undefined);
  }

  /** Says once that runs leave the process without a word to the store. */
  #leave(): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    const rest = "its runs go on at another node or at the next start, from the last action that was stored";
    this.#log("warn", `durable runs: the process ends without its store: ${rest}`, { runs: this.held });
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
    if (isDown) this.health.failed(error);
    else this.#refused(error);
    return isDown;
  }

  /** Lets go of a run that cannot be read here, for a while. */
  putOff(held: Held): void {
    this.unread.add(held.id);
    this.insistAlone(async () => this.store.checkpoint(held, [], { release: { at: (await this.store.now()) + putOffMs } }));
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

  /** Takes what is due; gives the milliseconds until the next turn. */
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

  /** Finds out whether the store takes what is written. */
  async #probe(): Promise<void> {
    await this.store.probe(this.node);
    this.health.written();
  }

  /** Asks what is due, when that is not known, and claims it. */
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
      // A turn may come a little early.
      if (now - this.#polledAt < pollMs / 2) return;
      this.#polledAt = now;
      const ms = await store.nextDue(plans);
      if (ms !== undefined) this.#dueAt = Math.min(this.#dueAt, now + ms);
      if (ms === undefined || ms > 0 || this.#taken >= mostTaken) return;
    }
  }
}
