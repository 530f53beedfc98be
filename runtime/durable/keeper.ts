import type { KeptAct, KeptRun, Outcome } from "../run/journal.ts";
import type { Checkpoint, Finish, Then } from "../store/runs.ts";
import { Failure } from "../value/failure.ts";
import { Activity } from "./activity.ts";
import type { Engine, HeldRun } from "./engine.ts";
import type { Identity } from "./identity.ts";
import { type KeeperParts, planBehind, refused, type Settling, waitsOf } from "./keeper-parts.ts";
import { outcomeText } from "./outcome.ts";
import type { SteppingRun } from "./steps.ts";
import type { RunWaits } from "./waits.ts";

/**
 * Keeps one run in the store while this process works on it. The actions start when the run is stored and its lease is confirmed; other
 * parts of the run see the outcome of an action once it is stored (spec/surfaces 14).
 */
export class RunKeeper implements HeldRun, SteppingRun {
  readonly id: string;
  readonly identity: Identity;
  readonly waits: RunWaits;
  readonly activity: Activity;
  epoch = 0;
  confirmed = Number.NEGATIVE_INFINITY;
  /** True while the caller waits: the run is not handed over before the caller has its answer. */
  isAwaited = false;
  readonly #parts: KeeperParts;
  readonly #engine: Engine;
  readonly #outcomes: ReadonlyMap<string, Outcome>;
  /** Runs and steps that wait for `goOn`. */
  readonly #holding = new Set<Pick<KeptRun, "goOn">>();
  #settling: Settling[] = [];
  #isWriting = false;
  #isReleasing = false;
  #last: Promise<void> = Promise.resolve();
  #plan: string | undefined;
  /** `new`: not in the store yet. `over`: the run has left this node, or has ended. */
  #state: "new" | "creating" | "kept" | "over" = "new";

  constructor(parts: KeeperParts) {
    this.#parts = parts;
    this.id = parts.id;
    this.identity = parts.identity;
    this.#engine = parts.engine;
    this.#outcomes = parts.taken?.outcomes ?? new Map();
    this.activity = new Activity(parts.engine.timers, () => this.#rested());
    this.waits = waitsOf(parts, {
      isOver: () => this.isOver,
      store: (points, wait) => this.#alone(points, wait === undefined ? {} : { wait }),
      rest: () => this.activity.rest(),
    });
    if (parts.taken === undefined) return;
    this.#state = "kept";
    this.epoch = parts.taken.epoch;
    this.#plan = parts.taken.plan;
  }

  get isLasting(): boolean {
    return this.#engine.isLasting;
  }

  get isResumed(): boolean {
    return this.#parts.taken !== undefined;
  }

  /** True when the run is in the store. */
  get isKept(): boolean {
    return this.#state === "kept";
  }

  get isOver(): boolean {
    return this.#state === "over";
  }

  /** True while no action and no step may start. */
  holds(run: Pick<KeptRun, "goOn">): boolean {
    const isHeld = this.#state !== "kept" || this.#isReleasing || this.#isLeaving || !this.#engine.isConfirmed(this);
    if (isHeld) this.#holding.add(run);
    return isHeld;
  }

  /** The outcome of an action that has settled before. The first action without a stored outcome makes the run be stored. */
  outcomeAt(path: string, { spec }: Pick<KeptAct, "spec">): Outcome | undefined {
    if (this.#state === "new") {
      this.#state = "creating";
      // All actions of the run are declared before a microtask runs.
      queueMicrotask(() => void this.#create().catch(this.#parts.breaks));
    }
    const outcome = this.#outcomes.get(path);
    if (outcome === undefined && spec.awaits !== undefined) this.waits.declare(path, spec.awaits);
    return outcome;
  }

  stepAt(path: string): string | undefined {
    return this.#parts.taken?.steps.get(path);
  }

  /** Stores the results of a step. */
  store(points: readonly Checkpoint[]): Promise<boolean> {
    return this.#alone(points, {});
  }

  /** Continues a run that was taken over: payloads that arrived meanwhile are stored first. */
  takeIn(): void {
    const arrived = this.waits.takeIn();
    if (arrived.length > 0) this.#alone(arrived, {}).catch(this.#parts.breaks);
  }

  attempt<Act extends KeptAct, Result>(act: Act, path: string, work: (act: Act) => Result): Result {
    this.activity.began(act);
    return this.identity.at(path, () => work(act));
  }

  /** Stores how an action has settled, together with the other actions that settle in this turn. */
  keep(act: KeptAct, path: string, tell: () => void): void {
    if (this.isOver) return;
    this.waits.ended(act);
    this.#settling.push({ act, path, state: act.state, tell });
    // No other action may use the outcome before it is stored.
    act.state = "running";
    void this.#write();
  }

  busy(work: Promise<void>): void {
    const done = this.activity.busy();
    work.then(done, done);
  }

  uuid(): string {
    return this.identity.uuid() ?? this.#parts.random();
  }

  /** Called when an effect is about to begin. Throws when the run belongs to another node. */
  touches(): void {
    if (this.#state === "kept" && !this.#engine.isConfirmed(this)) this.fence();
    if (this.isOver) throw new Failure("transport", "the run goes on elsewhere");
  }

  /** Lets the held actions and steps try to start. */
  goOn(): void {
    const holding = [...this.#holding];
    this.#holding.clear();
    for (const run of holding) run.goOn();
  }

  /** Stops all work on the run in this process: no effect, answer or record follows. */
  fence(): void {
    this.#leave("fenced");
  }

  handOver(): void {
    this.activity.rest();
  }

  /** Called when the caller has its answer, or has disconnected. */
  unawaited(): void {
    this.isAwaited = false;
    this.activity.rest();
  }

  /** Stores the end of the run; false when the run belongs to another node, or when its end cannot be stored. */
  async finish(finish: Finish): Promise<boolean> {
    const isMine = await this.#checkpoint([], { finish }).catch(() => false);
    if (isMine) this.#end();
    else this.fence();
    return isMine;
  }

  /** Ends the work on the run in this process, without a call of the store. */
  #end(): void {
    this.#state = "over";
    this.waits.leave();
    this.#engine.drop(this, this.isResumed);
  }

  /** True when the process is about to end, and no caller waits for the run. */
  get #isLeaving(): boolean {
    return this.#engine.isHandingOver && !this.isAwaited;
  }

  async #create(): Promise<void> {
    this.confirmed = this.#engine.timers.monotonic();
    const epoch = await this.#parts.create();
    this.#state = epoch === undefined ? "over" : "kept";
    if (epoch === undefined) return;
    this.epoch = epoch;
    this.#engine.hold(this, false);
    for (const wait of await this.waits.known(new Set())) await this.#alone([], { wait });
    this.goOn();
    // The process may have begun meanwhile to hand its runs over.
    this.activity.rest();
  }

  /** Stores settled actions, one checkpoint after the other. */
  async #write(): Promise<void> {
    if (this.#isWriting) return;
    this.#isWriting = true;
    // Actions that settle in this turn of the event loop are stored together.
    await Promise.resolve();
    while (this.#settling.length > 0 && !this.isOver) {
      const settling = this.#settling;
      this.#settling = [];
      await this.#store(settling);
    }
    this.#isWriting = false;
    this.activity.rest();
  }

  async #store(settling: readonly Settling[]): Promise<void> {
    try {
      const points = settling.map(({ act, path, state }) => ({ path, output: outcomeText(act, state) }));
      const [wait, ...waits] = await this.waits.known(new Set(settling.map(({ act }) => act)));
      const closed = this.waits.closing(settling.map(({ path }) => path));
      const then = { ...this.#planBehind(settling), ...(wait === undefined ? {} : { wait }) };
      if (!(await this.#checkpoint([...points, ...closed], then))) return;
      for (const each of waits) if (!(await this.#checkpoint([], { wait: each }))) return;
    } catch (error) {
      refused(settling, error, ({ act, path, tell }) => this.keep(act, path, tell));
      return;
    }
    for (const { act, state } of settling) {
      act.state = state;
      this.activity.settled(act);
    }
    for (const { act, tell } of settling) {
      try {
        tell();
      } catch (error) {
        act.run.break(error);
      }
    }
  }

  /** The plan after a checkpoint, if it differs from the stored one. */
  #planBehind(settling: readonly Settling[]): Then {
    const plan = planBehind(settling, this.#parts.plans);
    if (plan === undefined || plan === this.#plan) return {};
    this.#plan = plan;
    return { plan };
  }

  /** Stores a checkpoint, however long the store is away; false when the run belongs to another node. */
  async #checkpoint(points: readonly Checkpoint[], then: Then): Promise<boolean> {
    const isMine = await this.#engine.insist(
      () => this.#engine.store.checkpoint(this, points, then),
      () => !this.isOver,
    );
    if (isMine === "ok") {
      this.#engine.health.written();
      return true;
    }
    this.fence();
    return false;
  }

  /** Stores a checkpoint that belongs to no settled action. Each call waits for the one before it, so that checkpoints keep their order. */
  async #alone(points: readonly Checkpoint[], then: Then): Promise<boolean> {
    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    const done = this.activity.busy();
    await before;
    try {
      return await this.#checkpoint(points, then);
    } finally {
      resolve();
      done();
    }
  }

  /** Releases the run when it is quiet, and either waits or the process is about to end. */
  #rested(): void {
    const { suspended } = this.waits;
    const mayLeave = this.#state === "kept" && (suspended.size > 0 || this.#isLeaving);
    const isWriting = this.#isReleasing || this.#isWriting || this.#settling.length > 0;
    if (mayLeave && !isWriting && this.activity.isQuiet(suspended, this.#isLeaving)) this.#release({}).catch(this.#parts.breaks);
  }

  /** Releases the run, so that any node can claim it. */
  async #release(release: NonNullable<Then["release"]>): Promise<void> {
    this.#isReleasing = true;
    if (!(await this.#checkpoint([], { release }))) return;
    this.#leave("released");
    this.#engine.wake();
  }

  #leave(why: "fenced" | "released"): void {
    if (this.isOver) return;
    this.#end();
    this.#holding.clear();
    this.#parts.left(why);
  }
}
