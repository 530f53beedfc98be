import type { Act, AwaitedActs, Run } from "../run.ts";
import { reply } from "./reply.ts";

/** `respond_after`: the caller of a run that answers early waits for the named actions. It is called before the actions are declared. */
export function admitAfter(cx: Run, ...names: readonly string[]): void {
  cx.awaited = new Awaited(cx, names);
}

/** Actions that have to settle before the caller gets its early answer. */
class Awaited implements AwaitedActs {
  readonly #run: Run;
  readonly #open: Set<string>;
  /** True when no further action may start: an awaited one has failed, or the run was not admitted. */
  stopped = false;

  constructor(run: Run, names: readonly string[]) {
    this.#run = run;
    this.#open = new Set(names);
  }

  /** Notes that an action has settled. The last of the awaited actions asks for admission; a failed one ends the run. */
  settled({ name, state }: Act): void {
    const run = this.#run;
    if (this.stopped || run.short !== undefined || run.cancellation.aborted || !this.#open.delete(name)) return;
    if (state === "failed") {
      this.stopped = true;
      // The answer waits for the end of the turn, because the templates of the response are declared after the actions.
      const prepared = Promise.resolve().then(() => run.prepare?.());
      run.after(prepared.then(() => this.#answer()));
    } else if (this.#open.size === 0) this.stopped = !run.admit();
  }

  /** Answers as a run without an early answer would, with the actions that have settled by now. */
  async #answer(): Promise<void> {
    const ready = reply(this.#run);
    const { status, headers, body } = ready instanceof Promise ? await ready : ready;
    this.#run.short ??= {
      http_code: status,
      headers: { ...headers },
      body: { text: body, type: headers["content-type"] ?? "application/json" },
    };
  }
}
