import type { JsonObject } from "../value/json.ts";
import { stackOf } from "../value/thrown.ts";
import type { Asker, FollowerOf, OptionsOf } from "./caller.ts";
import { deadlines } from "./deadlines.ts";
import { background } from "./end/background.ts";
import { handlerOf } from "./end/on-error.ts";
import { reply } from "./end/reply.ts";
import { record } from "./end/run-log.ts";
import { clientGone, refusals } from "./refusals.ts";
import type { Reply } from "./response.ts";
import type { Run } from "./run.ts";
import { levelOfRun } from "./run-level.ts";

export type { Asker };
export type Follower = FollowerOf<Run>;
export type ExecutionOptions = OptionsOf<Run>;

/**
 * The life of one run, for every trigger. The run is begun; it is admitted, if it answers early; it has a deadline; it is answered or
 * refused, and concluded. A run without any wait is answered in the same turn of the event loop.
 */
export class Execution {
  readonly #run: Run;
  readonly #options: ExecutionOptions;
  /** `accepted`: the caller has its 202 and the run goes on without it. `over`: the caller has an answer, or has disconnected. */
  #state: "open" | "accepted" | "over" = "open";
  #cancelDeadline: (() => void) | undefined;
  #unfollow: (() => void) | undefined;

  constructor(run: Run, options: ExecutionOptions) {
    this.#run = run;
    this.#options = options;
  }

  begin(): void {
    const run = this.#run;
    const { asker, follower, mayBeEarly = false, hasDeadline = true } = this.#options;
    // The run of an authorizer is not durable, because its outcome is useless after a restart.
    if (run.interface.durable !== undefined && run.input.trigger !== "authorizer") {
      run.interface.durable.begin(run, this.#options);
      return;
    }
    if (mayBeEarly && run.interface.respond === "early") run.admission = () => this.#admit();
    try {
      run.start();
    } catch (error) {
      this.#fail(error);
      return;
    }
    if (run.over) this.#end();
    else if (this.#state === "accepted") this.#detach();
    else if (this.#state === "over") run.whenOver(() => undefined);
    else {
      if (hasDeadline) this.#cancelDeadline = deadlines(run.host).add(() => this.#expire());
      if (follower === undefined) background(run.host).follow(run, () => this.#end());
      else this.#unfollow = follower.follow(run, () => this.#end());
      asker.waits?.(() => this.#abandon());
    }
  }

  /** Cancels the run, because the caller has disconnected. */
  #abandon(): void {
    if (this.#state !== "open") return;
    this.#cancelDeadline?.();
    this.#run.abandon("client went away");
  }

  #expire(): void {
    if (this.#state !== "open" || this.#run.abandoned) return;
    this.#state = "over";
    this.#run.problems = ["run timed out"];
    this.#run.cancel("run timed out");
    this.#options.asker.refuse(refusals.timeout);
    this.#conclude(refusals.timeout.status, {});
  }

  /**
   * Admits a run with `respond: early` (spec/language 7.7): 202 as soon as the parameters are valid, before any action; 429 when too many
   * runs already go on without their callers. After that, only logs and `on_error` see the end of the run.
   */
  #admit(): boolean {
    const { host, config, id, interface: target, span } = this.#run;
    const { asker } = this.#options;
    if (!background(host).detach(config.detached)) {
      this.#state = "over";
      this.#cancelDeadline?.();
      span?.endWith(refusals.tooManyDetached.status);
      asker.refuse(refusals.tooManyDetached);
      return false;
    }
    this.#state = "accepted";
    this.#cancelDeadline?.();
    const body = target.silence ? "" : JSON.stringify({ accepted: true, request_id: id });
    asker.answer({ status: 202, headers: { "content-type": "application/json" }, body });
    // The run has waited for its parameters, so its trigger has followed it until this moment.
    if (this.#unfollow !== undefined) {
      this.#detach();
      this.#unfollow();
    }
    return true;
  }

  #detach(): void {
    background(this.#run.host).follow(this.#run, () => this.#end());
  }

  /** Answers the caller, since the run is over. */
  #end(): void {
    this.#cancelDeadline?.();
    try {
      if (this.#state === "over") return;
      if (this.#state === "open" && this.#run.abandoned) {
        this.#endAbandoned();
        return;
      }
      const answer = reply(this.#run);
      if (answer instanceof Promise) this.#answerLater(answer);
      else this.#answer(answer);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Waits for a large answer, which is written while others are served. Meanwhile the caller may disconnect, and a shutdown waits. */
  #answerLater(answer: Promise<Reply>): void {
    const leave = background(this.#run.host).hold();
    answer
      .then((large) => {
        if (this.#state === "open" && this.#run.abandoned) this.#endAbandoned();
        else this.#answer(large);
      })
      .catch((error: unknown) => this.#fail(error))
      .finally(leave);
  }

  #answer(answer: Reply): void {
    if (this.#state === "accepted") {
      this.#endDetached(answer.status);
      return;
    }
    this.#state = "over";
    this.#conclude(this.#options.asker.answer(answer));
  }

  /** Ends a run whose caller has disconnected: its end is not a failure. */
  #endAbandoned(): void {
    const { interface: target, span } = this.#run;
    target.capture?.note(this.#run, clientGone, "aborted");
    span?.endWith(clientGone);
    this.#state = "over";
    this.#options.asker.gone?.();
  }

  /** Logs an error that the run threw before its first wait, or while its answer was made. */
  #fail(error: unknown): void {
    this.#run.host.log("critical", "unexpected error in a run", { ...this.#run.place, stack: stackOf(error) });
    this.#refuseBug();
  }

  /** Ends a run after an error that no feature meant to throw: the caller gets a bare 500, the log has the stack, the process lives. */
  #refuseBug(): void {
    const { status } = refusals.internalError;
    if (this.#state === "accepted") background(this.#run.host).reattach();
    else this.#options.asker.refuse(refusals.internalError);
    this.#state = "over";
    this.#conclude(status);
  }

  /** Ends a run whose caller has its answer: logs and records have the status that the answer would have had. */
  #endDetached(status: number): void {
    const { host, place } = this.#run;
    this.#state = "over";
    background(host).reattach();
    host.log(levelOfRun(this.#run, status), "detached run ended", { ...place, http_code: status });
    this.#conclude(status);
  }

  #conclude(status: number, data?: JsonObject): void {
    const { conclude: instead } = this.#options;
    if (instead === undefined) conclude(this.#run, status, data);
    else instead(status);
  }
}

/** Called when the status of a run is known, while its answer is sent: logs the run, and begins the handler of a failure. */
export function conclude(run: Run, status: number, data?: JsonObject): void {
  run.span?.endWith(status);
  record(run, status);
  const handler = handlerOf(run, status, data);
  if (handler !== undefined) background(run.host).later(() => handle(handler()));
}

/** Runs a handler of failures (spec/language 7.8). A failure of the handler is only logged. */
function handle(run: Run): void {
  const failed = (status: number): void => {
    if (status >= 400) run.host.log("error", "the handler of on_error has failed", { ...run.place, http_code: status });
  };
  // An internal error is in the log already, so it is not logged a second time.
  const asker: Asker = {
    answer: ({ status }) => {
      failed(status);
      return status;
    },
    refuse: ({ status }) => failed(status === refusals.internalError.status ? 0 : status),
  };
  new Execution(run, { asker }).begin();
}
