import type { TraceSpan } from "../tracing/tracer.ts";
import { type Failure, type FailureKind, failureCodes } from "../value/failure.ts";
import { type Json, type JsonObject, put } from "../value/json.ts";
import { placeOfAction } from "./action-place.ts";
import { preLog } from "./around/pre-log.ts";
import { Cancellation, cancelled } from "./cancellation.ts";
import { isInternal } from "./end/internal-errors.ts";
import { statusOfAct } from "./end/reply.ts";
import { failureOf } from "./failure-of.ts";
import type { Forwarding } from "./forwarding.ts";
import type { OwnerOfActs } from "./owner.ts";
import type { WrittenBody } from "./response.ts";
import type { Act, ActSpec, ActState, Attempt } from "./run.ts";
import { levelOfFailure, reasonOf } from "./run-level.ts";
import { type Entry, outermost, placeOf } from "./transform-place.ts";

/** An action as its run drives it. */
export class LiveAct implements Act {
  readonly run: OwnerOfActs;
  readonly name: string;
  readonly spec: ActSpec;
  state: ActState = "waiting";
  data: Json = null;
  /** The data with which the action began, where the run keeps them for its record. */
  input: Json | undefined;
  message: string | undefined;
  error: string | undefined;
  /** The class of its failure; undefined also where a gate has failed it. */
  failure: FailureKind | undefined;
  errors: readonly string[] | undefined;
  /** Status a failed test, assert or gate asks for. */
  code: number | undefined;
  /** The body that its failed test gives in place of the envelope. */
  reply: WrittenBody | undefined;
  /** `http_code_on_success` of a passed assert. */
  okCode: number | undefined;
  /** Status of the upstream that caused the failure. */
  upstream: number | undefined;
  /** Milliseconds the action took; 0 when it did not run. */
  ms = 0;
  /** False when a gate settled it without an attempt. */
  ran = false;
  /** Attempts that have failed before this one. */
  tries = 0;
  /** The number of actions of its list that had settled when it had: 0 until then. */
  turn = 0;
  #startTurn = 0;
  cancelled = false;
  /** Skipped because nothing was new, in itself or in an action that it needs. */
  dropped = false;
  /** True when the error text may carry internals, so that only `show_error_detail` shows it. */
  internal = false;
  /** True when it has failed by a bug, of ours or of a library. */
  broken = false;
  /** Where the run is traced. */
  span: TraceSpan | undefined;
  readonly stream: Forwarding | undefined;
  readonly #attempt: Attempt;
  #cancellation: Cancellation | undefined;
  #now: number | undefined;
  #step = -1;
  #transform = "";
  /** The entry whose list of transforms runs; undefined in `post_transforms` itself. */
  #around: Entry | undefined;

  constructor(run: OwnerOfActs, name: string, spec: ActSpec, attempt: Attempt) {
    this.run = run;
    this.name = name;
    this.spec = spec;
    const { pre_log, secrets, retry, timeout } = spec;
    let whole = attempt;
    if (pre_log !== undefined) whole = preLog(pre_log, whole);
    if (secrets !== undefined) whole = secrets(whole);
    if (retry !== undefined) whole = retry(whole);
    if (timeout !== undefined) whole = timeout(whole);
    this.#attempt = whole;
    this.stream = spec.stream?.(this);
  }

  /** The members by which a record of the log says where it comes from. */
  get place(): JsonObject {
    const { config, interface: target, ...rest } = this.run.place;
    return { config: config ?? null, interface: target ?? null, action: this.name, ...rest };
  }

  get settled(): boolean {
    return this.state === "succeeded" || this.state === "failed" || this.state === "skipped";
  }

  /** Ends when the run is cancelled or the time of the action is over. */
  get cancellation(): Cancellation {
    if (this.#cancellation !== undefined) return this.#cancellation;
    const { cancellation } = this.run;
    if (this.spec.timeout === undefined) return cancellation;
    const own = new Cancellation();
    cancellation.listen(() => own.abort(new Error("the run was cancelled")));
    this.#cancellation = own;
    return own;
  }

  /** For libraries; our own code listens to `cancellation`. */
  get signal(): AbortSignal {
    return this.cancellation.signal;
  }

  /** Between two steps of an attempt that something was waited for: a run that was cancelled meanwhile sends nothing more. */
  throwIfCancelled(): void {
    if (this.cancellation.aborted) throw cancelled();
  }

  /** Aborts what the action has in flight. */
  abort(reason: Error): void {
    this.cancellation.abort(reason);
  }

  /** An attempt failed and there will be another one: until then the failure is what `retry_log` sees. */
  retrying(failure: Failure): void {
    this.data = failure.details.data ?? null;
    this.spec.retry_log?.(this);
  }

  /** A new attempt: nothing of the last one is left, and time goes on. */
  again(): void {
    this.stream?.again();
    this.tries += 1;
    this.data = null;
    this.message = undefined;
    this.okCode = undefined;
    this.#now = undefined;
    this.#around = undefined;
    this.#step = -1;
    this.#transform = "";
  }

  /** Unix milliseconds, the same for every marker of one attempt (spec/language 2.10). */
  get now(): number {
    this.#now ??= this.run.host.now();
    return this.#now;
  }

  /** Data of the actions of its list that had settled when it started, by name (spec/language 4). */
  get earlier(): JsonObject {
    const data: JsonObject = {};
    for (const { name, data: own, turn } of this.run.declared) if (turn > 0 && turn <= this.#startTurn) put(data, name, own);
    return data;
  }

  /** Marks the start of a `post_transforms` entry, so that a failure can name it; gives the data back. */
  step(transform: string, data: Json): Json {
    this.#step += 1;
    this.#transform = transform;
    return data;
  }

  /** The steps to come are those of the list inside the current one, until `leave`. */
  enter(): void {
    this.#around = { step: this.#step, transform: this.#transform, around: this.#around };
    this.#step = -1;
    this.#transform = "";
  }

  leave(): void {
    const { step, transform, around } = this.#around ?? outermost;
    this.#step = step;
    this.#transform = transform;
    this.#around = around;
  }

  /** Keeps what the action begins with; gives it back. */
  takes<Input extends Json>(input: Input): Input {
    this.input = input;
    return input;
  }

  /** Runs the attempt and tells the run when it has settled: at once when nothing had to be awaited. */
  start(): void {
    this.state = "running";
    this.ran = true;
    this.#startTurn = this.run.turn;
    this.span = this.run.span?.child(this.name);
    const began = this.run.host.monotonic();
    try {
      const { journal } = this.run;
      const result = journal === undefined ? this.#attempt(this) : journal.attempt(this, this.#attempt);
      if (result instanceof Promise) {
        this.#await(result, began);
        return;
      }
      this.#succeed(result);
    } catch (error) {
      this.fail(error);
    }
    this.#end(began);
  }

  /** Settles without running, because the run has been answered: not reported. */
  cancel(): void {
    this.state = "skipped";
    this.cancelled = true;
  }

  /** Settles without running, by a gate. */
  skip(errors?: readonly string[], dropped = false): void {
    this.state = "skipped";
    this.errors = errors?.map((each) => this.run.host.redactor.failure(each));
    this.dropped = dropped;
  }

  /** The attempt has found nothing new: it ends as skipped (spec/transforms 8). */
  drop(): void {
    this.dropped = this.state === "running";
  }

  /** Settles as failed without running (spec/language 3.4). */
  gateFailed(error: string, code: number | undefined): void {
    this.state = "failed";
    this.error = error;
    this.code = code;
  }

  /** A caller that waits for the run learns of its end, even after a bug in the steps behind the action. */
  #await(result: Promise<Json>, began: number): void {
    const settle = (take: () => void): void => {
      try {
        take();
        this.#end(began);
      } catch (error) {
        this.run.break(error);
      }
    };
    result.then(
      (data) => settle(() => this.#succeed(data)),
      (error: unknown) => settle(() => this.fail(error)),
    );
  }

  #end(began: number): void {
    this.ms = Math.round(this.run.host.monotonic() - began);
    this.span?.end();
    if (this.run.journal === undefined) this.#settle();
    else this.run.journal.keep(this, () => this.#settle());
  }

  /** How it has ended is known to all: what follows from it goes on. */
  #settle(): void {
    const { success_log, post_log, error_log } = this.spec;
    this.run.answerAtOnce(this);
    if (this.state === "failed") {
      this.#report();
      error_log?.(this);
    } else if (this.state === "succeeded") {
      success_log?.(this);
      post_log?.(this);
    }
    this.run.settle(this);
  }

  #succeed(data: Json): void {
    this.state = this.dropped ? "skipped" : "succeeded";
    this.data = this.dropped ? null : data;
  }

  /** Settles as failed: with what was thrown, unless that only follows from the end of its item. */
  fail(thrown: unknown): void {
    this.state = "failed";
    const { failure: ended } = this.run.cancellation;
    const failure = ended ?? failureOf(this, thrown, this.#step >= 0 ? "transform" : "evaluation");
    const { data, errors, status, upstream, reply } = failure.details;
    this.failure = failure.kind;
    const transform = failure.kind === "transform" && this.#step >= 0;
    this.data = data ?? null;
    const { redactor } = this.run.host;
    const message = redactor.failure(failure.message);
    this.error = transform ? `${placeOf(this.#around)}[${this.#step}].${this.#transform}: ${message}` : message || undefined;
    this.errors = errors?.map((each) => redactor.failure(each));
    this.code = status ?? (failure.kind === "status" ? this.spec.http_code_on_error : undefined);
    this.reply = reply;
    this.upstream = upstream;
    this.internal = failure.kind !== "assert" && isInternal(this.error ?? "");
    this.span?.fail(failure.kind);
  }

  /** Settles as failed without running, because its gate could not be evaluated. */
  failAtGate(thrown: unknown): void {
    this.fail(thrown);
    this.#report();
  }

  /** Writes why it has failed, when it is known what that does to its run. */
  #report(): void {
    const code = this.failure === undefined ? "" : `${failureCodes[this.failure]} `;
    const text = `${code}${reasonOf(this.error, this.errors)}`;
    this.run.host.log(levelOfFailure(this, statusOfAct(this)), text, { ...this.place, ...placeOfAction(this) });
  }
}
