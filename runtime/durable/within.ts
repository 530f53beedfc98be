import type { Journal, KeptAct, Steps } from "../run/journal.ts";
import { Failure } from "../value/failure.ts";
import type { Json } from "../value/json.ts";
import type { RunKeeper } from "./keeper.ts";

/**
 * The journal of a run inside of a step. The step is stored as a whole, so that parts of this run are not stored by themselves. But
 * repeated steps generate the same values, and the run sends nothing once another node may have the run around it.
 */
export class WithinJournal implements Journal {
  readonly #keeper: RunKeeper;
  readonly #path: string;
  readonly isResumed = false;
  readonly isLasting = false;

  constructor(keeper: RunKeeper, path: string) {
    this.#keeper = keeper;
    this.#path = path;
  }

  holds(): boolean {
    return false;
  }

  restore(): boolean {
    return false;
  }

  attempt<Act extends KeptAct, Result>(act: Act, work: (act: Act) => Result): Result {
    return this.named(act.name, () => work(act));
  }

  keep(_: KeptAct, tell: () => void): void {
    tell();
  }

  inner({ name }: { readonly name: string }, index: number): Journal {
    return new WithinJournal(this.#keeper, `${this.#path}/${name}[${index}]`);
  }

  steps({ name }: { readonly name: string }): Steps {
    return {
      once: (step, work) => this.named(`${name}: ${step}`, work),
      ask: () => Promise.reject(keepsNothing()),
    };
  }

  within(): Journal {
    return new WithinJournal(this.#keeper, this.#keeper.identity.path ?? this.#path);
  }

  /** A wait of this run stays in the process, so that it needs no limit. */
  limit(): void {}

  pause(): Promise<void> {
    return Promise.reject(keepsNothing());
  }

  callback(): Promise<Json | undefined> {
    return Promise.reject(keepsNothing());
  }

  /** The step around this run counts as under way, so that the wait changes nothing. */
  rests(_: unknown, wait: Promise<void>): Promise<void> {
    return wait;
  }

  busy(): void {}

  named<Result>(name: string, work: () => Result): Result {
    return this.#keeper.identity.at(`${this.#path}/${name}`, work);
  }

  mark({ name }: { readonly name: string }): string {
    return this.#keeper.identity.mark(`${this.#path}/${name}`);
  }

  uuid(): string {
    return this.#keeper.uuid();
  }

  touches(): void {
    this.#keeper.touches();
  }
}

/** This failure is a bug of ours, because an action with a long wait asks first whether runs outlive the process. */
const keepsNothing = (): Failure => new Failure("evaluation", "the run of a tool keeps nothing");
