import type { Asker, OptionsOf } from "../run/caller.ts";
import { deadlines } from "../run/deadlines.ts";
import { background } from "../run/end/background.ts";
import { reply } from "../run/end/reply.ts";
import { conclude } from "../run/execution.ts";
import { type Refusal, refusals } from "../run/refusals.ts";
import type { Reply } from "../run/response.ts";
import type { Run } from "../run/run.ts";
import { levelOfRun } from "../run/run-level.ts";
import { stackOf } from "../value/thrown.ts";
import type { RunKeeper } from "./keeper.ts";

/** The most characters of a result that lists show; the rest is cut. */
const mostOfResult = 65_536;

/**
 * The life of one durable run in this process. The caller gets the answer of the run when the run ends here. It gets 202 when the run
 * continues later or elsewhere, takes too long or answers early. A caller that disconnects ends no run (spec/surfaces 14).
 */
export class DurableExecution {
  readonly #run: Run;
  readonly #options: Partial<OptionsOf<Run>>;
  readonly #keeper: RunKeeper;
  /** Tells the shutdown that it need not wait for this run. */
  readonly #leave: () => void;
  /** The caller, until it is answered or has disconnected. */
  #asker: Asker | undefined;
  #isDetached = false;
  /** True when the run counts against the limit of runs that go on without their callers. */
  #isCounted = false;
  #isOver = false;
  #cancelDeadline: (() => void) | undefined;
  #unfollow: (() => void) | undefined;

  /** Without an asker, no caller waits for the run here. */
  constructor(run: Run, options: Partial<OptionsOf<Run>>, keeper: RunKeeper) {
    this.#run = run;
    this.#options = options;
    this.#keeper = keeper;
    this.#asker = options.asker;
    this.#leave = background(run.host).hold();
    // A caller is only known to wait when it can tell that it disconnects.
    keeper.isAwaited = options.asker?.waits !== undefined;
  }

  begin(): void {
    const run = this.#run;
    const { asker, follower, mayBeEarly = false, hasDeadline = true } = this.#options;
    if (mayBeEarly && run.interface.respond === "early" && !this.#keeper.isResumed) run.admission = () => this.#admit();
    try {
      run.start();
    } catch (error) {
      this.#log(error);
      void this.#end();
      return;
    }
    if (!run.over && asker !== undefined) {
      if (hasDeadline) this.#cancelDeadline = deadlines(run.host).add(() => this.#part());
      this.#unfollow = follower?.follow(run, () => undefined);
      asker.waits?.(() => this.#abandon());
    }
    run.whenOver(() => void this.#end());
  }

  /** The run is in the store: a caller with `respond: early` is answered at this point. */
  stored(): void {
    this.#options.stored?.();
    if (this.#isDetached) this.#part();
  }

  /**
   * The run could not be stored. If the store does not answer, there was no run: nothing is logged, recorded or handled. For a schedule it
   * counts as an attempt.
   */
  refused(refusal: Refusal): void {
    const why = "the run was not stored";
    if (refusal === refusals.runStoreUnavailable && this.#options.conclude === undefined) this.#refuse(refusal, why);
    else {
      this.#conclude(refusal.status, () => this.#take()?.refuse(refusal));
      this.#run.cancel(why);
    }
  }

  /** The run has left this node and continues later or elsewhere. */
  left(why: "fenced" | "released"): void {
    this.#part();
    this.#options.left?.();
    this.#run.host.log("debug", why === "fenced" ? "the run goes on elsewhere" : "the run has left the process", this.#run.place);
    this.#run.cancel("the run goes on elsewhere");
    this.#over();
  }

  #admit(): boolean {
    const { host, config } = this.#run;
    if (!this.#keeper.isKept && !background(host).detach(config.detached)) {
      this.#refuse(refusals.tooManyDetached, "too many runs go on without their callers");
      return false;
    }
    this.#isCounted = !this.#keeper.isKept;
    this.#isDetached = true;
    if (this.#keeper.isKept) this.#part();
    return true;
  }

  /** Tells the caller that there is no run. */
  #refuse(refusal: Refusal, why: string): void {
    this.#run.span?.endWith(refusal.status);
    this.#take()?.refuse(refusal);
    this.#run.cancel(why);
    this.#over();
  }

  /** Tells the caller that the run continues without it. */
  #part(): void {
    const { id, interface: target } = this.#run;
    const waiting = this.#isDetached ? {} : { waiting: true };
    const body = target.silence ? "" : JSON.stringify({ accepted: true, request_id: id, ...waiting });
    this.#take()?.answer({ status: 202, headers: { "content-type": "application/json" }, body });
    this.#keeper.unawaited();
  }

  /** Notes that the caller has disconnected. */
  #abandon(): void {
    const asker = this.#take();
    asker?.gone?.();
    if (asker !== undefined) this.#keeper.unawaited();
  }

  /** Takes the caller, which is then answered by the code that has taken it. */
  #take(): Asker | undefined {
    const asker = this.#asker;
    this.#asker = undefined;
    this.#cancelDeadline?.();
    this.#unfollow?.();
    return asker;
  }

  async #end(): Promise<void> {
    if (this.#isOver || this.#keeper.isOver) return;
    const ready = this.#answer();
    const answer = ready instanceof Promise ? await ready : ready;
    if (this.#isOver || this.#keeper.isOver) return;
    const { status } = answer;
    if (this.#keeper.isKept) {
      const result = JSON.stringify({ status, body: answer.body.slice(0, mostOfResult) });
      if (!(await this.#keeper.finish({ status: status < 400 ? "done" : "failed", result }))) return;
    }
    const asker = this.#take();
    if (asker === undefined) {
      this.#run.host.log(levelOfRun(this.#run, status), "detached run ended", { ...this.#run.place, http_code: status });
      this.#conclude(status);
    } else this.#conclude(asker.answer(answer));
  }

  /** The answer of the run; a failure to make it gives the answer of an internal error. */
  #answer(): Reply | Promise<Reply> {
    const bug = (error: unknown): Reply => {
      this.#log(error);
      const { status, code } = refusals.internalError;
      return { status, headers: { "content-type": "application/json" }, body: JSON.stringify({ error: code }) };
    };
    try {
      const answer = reply(this.#run);
      return answer instanceof Promise ? answer.catch(bug) : answer;
    } catch (error) {
      return bug(error);
    }
  }

  #log(error: unknown): void {
    this.#run.host.log("critical", "unexpected error in a run", { ...this.#run.place, stack: stackOf(error) });
  }

  #conclude(status: number, first?: () => void): void {
    first?.();
    const { conclude: instead } = this.#options;
    if (instead === undefined) conclude(this.#run, status);
    else instead(status);
    this.#over();
  }

  /** Releases everything that the process holds for the run. */
  #over(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#isCounted) background(this.#run.host).reattach();
    this.#leave();
  }
}
