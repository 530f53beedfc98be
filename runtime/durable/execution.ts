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

/** A result that lists show is cut behind so many characters. */
const mostOfResult = 65_536;

/**
 * The life of one durable run in this process. The caller gets its answer when the run ends here; when the run goes on later or elsewhere,
 * takes too long or answers early, it gets 202. A caller that goes away ends nothing (spec/surfaces 14).
 */
export class DurableExecution {
  readonly #run: Run;
  readonly #options: Partial<OptionsOf<Run>>;
  readonly #keeper: RunKeeper;
  /** Ends the wait of a shutdown for the run. */
  readonly #leave: () => void;
  /** Absent once the caller knows, or is gone. */
  #asker: Asker | undefined;
  #isDetached = false;
  /** True for one of the runs without callers of which there may be so many. */
  #isCounted = false;
  #isOver = false;
  #cancelDeadline: (() => void) | undefined;
  #unfollow: (() => void) | undefined;

  /** Without an asker nobody waits for the run here. */
  constructor(run: Run, options: Partial<OptionsOf<Run>>, keeper: RunKeeper) {
    this.#run = run;
    this.#options = options;
    this.#keeper = keeper;
    this.#asker = options.asker;
    this.#leave = background(run.host).hold();
    // Only a caller that can go away is known to wait.
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

  /** The run is in the store: a caller that is answered early is so now. */
  stored(): void {
    this.#options.stored?.();
    if (this.#isDetached) this.#part();
  }

  /**
   * The run could not be stored. Where the store does not answer there was no run: nothing is logged, recorded or handled. A schedule
   * counts an attempt.
   */
  refused(refusal: Refusal): void {
    const why = "the run was not stored";
    if (refusal === refusals.runStoreUnavailable && this.#options.conclude === undefined) this.#refuse(refusal, why);
    else {
      this.#conclude(refusal.status, () => this.#take()?.refuse(refusal));
      this.#run.cancel(why);
    }
  }

  /** The run has left this node, and goes on later or elsewhere. */
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

  /** The caller is told that there is no run. */
  #refuse(refusal: Refusal, why: string): void {
    this.#run.span?.endWith(refusal.status);
    this.#take()?.refuse(refusal);
    this.#run.cancel(why);
    this.#over();
  }

  /** The caller is told that the run goes on without it. */
  #part(): void {
    const { id, interface: target } = this.#run;
    const waiting = this.#isDetached ? {} : { waiting: true };
    const body = target.silence ? "" : JSON.stringify({ accepted: true, request_id: id, ...waiting });
    this.#take()?.answer({ status: 202, headers: { "content-type": "application/json" }, body });
    this.#keeper.unawaited();
  }

  /** The caller has gone away. */
  #abandon(): void {
    const asker = this.#take();
    asker?.gone?.();
    if (asker !== undefined) this.#keeper.unawaited();
  }

  /** The caller, whoever takes it answers it. */
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

  /** The answer of the run; that of a bug, where it cannot be made. */
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

  /** The process has nothing to do with the run any more. */
  #over(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#isCounted) background(this.#run.host).reattach();
    this.#leave();
  }
}
