import { background } from "../background.ts";
import { conclude } from "../conclude.ts";
import { isTooDeep } from "../lib/hops.ts";
import { longestWait } from "../lib/longest-wait.ts";
import { stackOf } from "../lib/stack-of.ts";
import { reply } from "../reply.ts";
import type { Reply } from "../response.ts";
import type { Run } from "../run.ts";
import { levelOfRun } from "../run-level.ts";
import { traceAlone } from "../tracing/of-run.ts";
import { clientGone, type Refusal, refusals } from "./http/refusal.ts";

/**
 * Runs an interface for a trigger that is no HTTP request: traced, counted, bounded in time, concluded, and waited for by a shutdown. `tell` gets, once,
 * what the caller may be told: the reply of the run, 202 of one that answers early, 504 of one whose time is up (then it is cancelled), 499 of one that
 * was abandoned, 508 of one that is too deep and so does not start.
 */
export function begin(run: Run, tell: (told: Reply) => void): void {
  if (isTooDeep(run.received.hops)) {
    tell(serviceError(refusals.loopDetected));
    return;
  }
  const told = new ToldRun(run, tell);
  told.begin();
}

class ToldRun {
  readonly #run: Run;
  readonly #tell: (told: Reply) => void;
  #ends: ((status: number) => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** What the caller was told before the run has ended, if that was its end for them. */
  #early: "accepted" | "refused" | "timed out" | undefined;

  constructor(run: Run, tell: (told: Reply) => void) {
    this.#run = run;
    this.#tell = tell;
  }

  begin(): void {
    const run = this.#run;
    const { host, config, interface: target, input } = run;
    traceAlone(run, host.tracer);
    this.#ends = config.metrics?.(host).begins({ config: config.name, interface: target.name, trigger: input.trigger });
    // The answer of an authorizer is its outcome, whenever it comes.
    if (target.respond === "early" && input.trigger !== "authorizer") run.admission = () => this.#admit();
    try {
      run.start();
    } catch (error) {
      this.#over(this.#bug(error));
      return;
    }
    if (!run.over) this.#timer = setTimeout(() => this.#expire(), Math.min(host.limits.runTimeoutMs, longestWait));
    background(host).follow(run, () => this.#over());
  }

  #over(made = this.#reply()): void {
    const { host, place, abandoned } = this.#run;
    clearTimeout(this.#timer);
    if (this.#early === "refused" || this.#early === "timed out") return;
    if (this.#early === "accepted") {
      background(host).reattach();
      host.log(levelOfRun(this.#run, made.status), "detached run ended", { ...place, http_code: made.status });
    } else if (abandoned) {
      this.#forget();
      return;
    } else this.#say(made);
    conclude(this.#run, made.status);
  }

  /** Nobody waits for it any more: it is no failure, and remembered as HTTP remembers it. */
  #forget(): void {
    const { interface: target, span } = this.#run;
    target.capture?.note(this.#run, clientGone, "aborted");
    span?.endWith(clientGone);
    this.#say({ status: clientGone, headers: {}, body: "" });
  }

  #expire(): void {
    if (this.#early === "accepted") return;
    this.#early = "timed out";
    this.#run.cancel("run timed out");
    this.#say(serviceError(refusals.timeout));
    conclude(this.#run, refusals.timeout.status, {});
  }

  /** False when too many runs go on without their callers already (language.md 7.7). */
  #admit(): boolean {
    const { host, id } = this.#run;
    if (!background(host).detach()) {
      this.#early = "refused";
      this.#run.span?.endWith(refusals.tooManyDetached.status);
      this.#say(serviceError(refusals.tooManyDetached));
      return false;
    }
    this.#early = "accepted";
    const body = this.#run.interface.silence ? "" : JSON.stringify({ accepted: true, request_id: id });
    this.#say({ status: 202, headers: { "content-type": "application/json" }, body });
    return true;
  }

  #say(told: Reply): void {
    this.#ends?.(told.status);
    this.#tell(told);
  }

  #reply(): Reply {
    try {
      return reply(this.#run);
    } catch (error) {
      return this.#bug(error);
    }
  }

  /** What no feature meant to throw: the caller learns nothing, the log has the stack. */
  #bug(error: unknown): Reply {
    this.#run.host.log("critical", "unexpected error in a run", { ...this.#run.place, stack: stackOf(error) });
    return serviceError(refusals.internalError);
  }
}

/** What a service says in place of a run (surfaces.md 0). */
export const serviceError = ({ status, code }: Refusal): Reply => ({
  status,
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ error: code }),
});
