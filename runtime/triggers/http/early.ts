import { background } from "../../background.ts";
import { conclude } from "../../conclude.ts";
import { stackOf } from "../../lib/stack-of.ts";
import { reply } from "../../reply.ts";
import type { Run } from "../../run.ts";
import { levelOfRun } from "../../run-level.ts";
import { answer } from "./answer.ts";
import type { Outgoing } from "./outgoing.ts";
import { refusals, refuse } from "./refusal.ts";

/**
 * The answer of `respond: early` (language.md 7.7): 202 as soon as the parameters are right, before any action; 429 when too many runs go on
 * without their callers already. The run then concerns only logs and `on_error`.
 */
export class EarlyAnswer {
  readonly #run: Run;
  readonly #response: Outgoing;
  readonly #closes: boolean;
  #wake: (() => void) | undefined;
  #state: "unasked" | "refused" | "accepted" = "unasked";

  constructor(run: Run, response: Outgoing, closes: boolean) {
    this.#run = run;
    this.#response = response;
    this.#closes = closes;
    run.admission = () => this.#admit();
  }

  /** True when the caller has been answered and the run is none of its business any more. */
  get given(): boolean {
    return this.#state !== "unasked";
  }

  /** Calls back when the caller is answered, after the parameters had to be waited for. */
  whenGiven(callback: () => void): void {
    this.#wake = callback;
  }

  /** Sees the run to its end. */
  follow(): void {
    const { host } = this.#run;
    if (this.#state !== "accepted") {
      this.#run.whenOver(() => undefined);
      return;
    }
    background(host).follow(this.#run, () => {
      background(host).reattach();
      this.#end();
    });
  }

  /** The run has thrown before it could wait for anything. */
  forget(): void {
    if (this.#state === "accepted") background(this.#run.host).reattach();
  }

  #admit(): boolean {
    const { host, id, requestId, interface: target } = this.#run;
    if (!background(host).detach()) {
      this.#state = "refused";
      refuse(this.#response, refusals.tooManyDetached, requestId);
      this.#wake?.();
      return false;
    }
    this.#state = "accepted";
    const body = target.silence ? "" : JSON.stringify({ accepted: true, request_id: id });
    answer(this.#response, { status: 202, headers: { "content-type": "application/json" }, body }, requestId, this.#closes);
    this.#wake?.();
    return true;
  }

  /** What would have been answered is the status that the run is remembered by. */
  #end(): void {
    conclude(this.#run, this.#status());
  }

  #status(): number {
    const { host } = this.#run;
    const said = this.#run.place;
    try {
      const { status } = reply(this.#run);
      host.log(levelOfRun(this.#run, status), "detached run ended", { ...said, http_code: status });
      return status;
    } catch (error) {
      host.log("critical", "unexpected error in a run", { ...said, stack: stackOf(error) });
      return refusals.internalError.status;
    }
  }
}
