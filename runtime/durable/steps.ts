import type { Answered, KeptRun, OpenQuestion, Steps } from "../run/journal.ts";
import { stepPath } from "../store/run-paths.ts";
import type { Checkpoint } from "../store/runs.ts";
import { Failure } from "../value/failure.ts";
import type { Activity, Stepping } from "./activity.ts";
import { Broken } from "./engine.ts";
import type { Identity } from "./identity.ts";
import type { RunWaits } from "./waits.ts";

/** The parts of a run that the steps of its actions need. */
export interface SteppingRun {
  readonly identity: Identity;
  readonly waits: RunWaits;
  readonly activity: Activity;
  /** True when the run has left this process, or has ended. */
  readonly isOver: boolean;
  /** The stored result of a step, as JSON. */
  readonly stepAt: (path: string) => string | undefined;
  /** True while no action and no step may begin; then `goOn` is called when one may. */
  readonly holds: (held: Pick<KeptRun, "goOn">) => boolean;
  /** Stores checkpoints; false when the run belongs to another node. Throws `Broken` when the store refuses them for good. */
  readonly store: (points: readonly Checkpoint[]) => Promise<boolean>;
}

/** The steps of one attempt of an action. */
export class RunSteps implements Steps, Stepping {
  readonly #run: SteppingRun;
  readonly #path: (step: string) => string;
  /** The number of steps that do work in this process. */
  #working = 0;
  /** Steps that wait for an answer, or for permission to begin. */
  readonly #waiting = new Set<object>();
  readonly #held = new Set<object>();

  constructor(run: SteppingRun, act: { readonly tries: number }, path: string) {
    this.#run = run;
    // An attempt may count tries of its own, such as those of one call.
    const { tries } = act;
    this.#path = (step) => stepPath(path, tries, step);
    run.activity.has(act, this);
  }

  get isQuiet(): boolean {
    if (this.#working > 0 || this.#waiting.size === 0) return false;
    return [...this.#waiting].every((wait) => this.#held.has(wait) || this.#run.waits.suspended.has(wait));
  }

  async once<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const path = this.#path(name);
    const stored = this.#run.stepAt(path);
    if (stored !== undefined) return JSON.parse(stored) as Result; // this method has stored it
    await this.#begins();
    this.#working += 1;
    try {
      const result = await this.#run.identity.at(path, work);
      await this.#keep(path, JSON.stringify(result ?? null));
      return result;
    } finally {
      this.#working -= 1;
      this.#run.activity.rest();
    }
  }

  async ask(name: string, asked: OpenQuestion): Promise<Answered> {
    const path = this.#path(name);
    const stored = this.#run.stepAt(path);
    if (stored !== undefined) return JSON.parse(stored) as Answered; // this method has stored it
    const answered = await this.#answerTo(path, asked);
    await this.#busy(() => this.#keep(path, JSON.stringify(answered)));
    return answered;
  }

  async #answerTo(path: string, { question, ms, tell }: OpenQuestion): Promise<Answered> {
    const { identity, waits } = this.#run;
    const token = identity.token(path);
    if (!(await this.#busy(() => waits.open(path, token, ms, question)))) return { state: "late" };
    if (!(await tell(token))) return { state: "untold" };
    const payload = await this.#waits((wait) => waits.callback(wait, path, token, ms));
    return payload === undefined ? { state: "late" } : { state: "answered", payload };
  }

  /** Waits until a step may begin: not while the lease of the run is in doubt, or when the process is about to end. */
  async #begins(): Promise<void> {
    for (;;) {
      if (this.#run.isOver) throw elsewhere();
      const { promise, resolve } = Promise.withResolvers<void>();
      if (!this.#run.holds({ goOn: resolve })) return;
      await this.#waits(async (wait) => {
        this.#held.add(wait);
        await promise;
        this.#held.delete(wait);
      });
    }
  }

  async #busy<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#working += 1;
    try {
      return await work();
    } finally {
      this.#working -= 1;
      this.#run.activity.rest();
    }
  }

  async #waits<Result>(work: (wait: object) => Promise<Result>): Promise<Result> {
    const wait = {};
    this.#waiting.add(wait);
    const result = work(wait);
    this.#run.activity.rest();
    try {
      return await result;
    } finally {
      this.#waiting.delete(wait);
    }
  }

  async #keep(path: string, output: string): Promise<void> {
    try {
      const points = [{ path, output }, ...this.#run.waits.closing([path])];
      if (!(await this.#run.store(points))) throw elsewhere();
    } catch (error) {
      if (error instanceof Broken) throw new Failure("state", error.message);
      throw error;
    }
  }
}

const elsewhere = (): Failure => new Failure("transport", "the run goes on elsewhere");
