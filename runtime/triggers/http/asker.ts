import type { Asker, Follower } from "../../run/execution.ts";
import { type Refusal, refusals } from "../../run/refusals.ts";
import type { Reply } from "../../run/response.ts";
import type { Run } from "../../run/run.ts";
import { answer } from "./answer.ts";
import type { Outgoing } from "./outgoing.ts";
import type { PendingRuns } from "./pending.ts";
import { refuse } from "./refusal.ts";

/** The client of a request that has begun a run. */
export class HttpAsker implements Asker, Follower {
  readonly #run: Run;
  readonly #response: Outgoing;
  readonly #pending: PendingRuns;
  readonly #closes: () => boolean;

  /** `closes` gives true when the connection closes after the answer. */
  constructor(run: Run, response: Outgoing, pending: PendingRuns, closes: () => boolean) {
    this.#run = run;
    this.#response = response;
    this.#pending = pending;
    this.#closes = closes;
  }

  answer(reply: Reply): number {
    if (answer(this.#response, reply, this.#run.requestId, this.#closes())) return reply.status;
    this.#run.host.log("error", "PW909 the response is no valid HTTP message", this.#run.place);
    return refusals.internalError.status;
  }

  refuse(refusal: Refusal): void {
    if (!this.#response.headersSent) refuse(this.#response, refusal, this.#run.requestId);
    else if (!this.#response.writableEnded) this.#response.destroy();
  }

  follow(run: Run, done: () => void): () => void {
    return this.#pending.add(run, this.#response, done);
  }

  waits(abandon: () => void): void {
    this.#response.on("close", abandon);
  }
}
