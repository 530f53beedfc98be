import type { Journal, KeptAct, KeptRun, Outcome, RestingAct, Steps } from "../run/journal.ts";
import type { Json } from "../value/json.ts";
import type { RunKeeper } from "./keeper.ts";
import { rests } from "./rests.ts";
import { RunSteps } from "./steps.ts";
import { WithinJournal } from "./within.ts";

/** The journal of a run, or of an item of one of its loops: the paths of its actions begin with `prefix`. */
export class RunJournal implements Journal {
  readonly #keeper: RunKeeper;
  readonly #prefix: string;

  constructor(keeper: RunKeeper, prefix = "") {
    this.#keeper = keeper;
    this.#prefix = prefix;
  }

  get isResumed(): boolean {
    return this.#keeper.isResumed;
  }

  holds(run: KeptRun): boolean {
    return this.#keeper.holds(run);
  }

  restore(act: KeptAct): boolean {
    const outcome = this.#keeper.outcomeAt(this.#pathOf(act), act);
    if (outcome === undefined) return false;
    Object.assign<Outcome, Outcome>(act, outcome);
    return true;
  }

  attempt<Act extends KeptAct, Result>(act: Act, work: (act: Act) => Result): Result {
    return this.#keeper.attempt(act, this.#pathOf(act), work);
  }

  keep(act: KeptAct, tell: () => void): void {
    this.#keeper.keep(act, this.#pathOf(act), tell);
  }

  inner(loop: { readonly name: string; readonly tries: number }, index: number): Journal {
    this.#keeper.activity.isLoop(loop);
    // Another try of a loop does its items again, under other paths.
    const again = loop.tries === 0 ? "" : `~${loop.tries}`;
    return new RunJournal(this.#keeper, `${this.#pathOf(loop)}${again}[${index}]/`);
  }

  steps(act: { readonly name: string; readonly tries: number }): Steps {
    return new RunSteps(this.#keeper, act, this.#pathOf(act));
  }

  within(): Journal {
    return new WithinJournal(this.#keeper, this.#keeper.identity.path ?? this.#prefix);
  }

  get isLasting(): boolean {
    return this.#keeper.isLasting;
  }

  limit(act: { readonly name: string }, ms: number): void {
    this.#keeper.waits.limit(act, ms);
  }

  pause(act: { readonly name: string }, ms: number): Promise<void> {
    return this.#keeper.waits.pause(act, this.#pathOf(act), ms);
  }

  callback(act: { readonly name: string }, token: string, ms: number): Promise<Json | undefined> {
    return this.#keeper.waits.callback(act, this.#pathOf(act), token, ms);
  }

  rests(act: RestingAct, wait: Promise<void>): Promise<void> {
    return rests(this.#keeper, act, wait);
  }

  busy(work: Promise<void>): void {
    this.#keeper.busy(work);
  }

  named<Result>(name: string, work: () => Result): Result {
    return this.#keeper.identity.at(name, work);
  }

  mark(act: { readonly name: string }): string {
    return this.#keeper.identity.mark(this.#pathOf(act));
  }

  uuid(): string {
    return this.#keeper.uuid();
  }

  touches(): void {
    this.#keeper.touches();
  }

  #pathOf({ name }: { readonly name: string }): string {
    return this.#prefix + name;
  }
}
