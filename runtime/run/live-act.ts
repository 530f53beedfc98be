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

/** An action as its run controls it. The members of `Act` are explained there. */
export class LiveAct implements Act {
  readonly run: OwnerOfActs;
  readonly name: string;
  readonly spec: ActSpec;
  state: ActState = "waiting";
  data: Json = null;
  input: Json | undefined;
  message: string | undefined;
  error: string | undefined;
  failure: FailureKind | undefined;
  errors: readonly string[] | undefined;
  code: number | undefined;
  reply: WrittenBody | undefined;
  okCode: number | undefined;
  upstream: number | undefined;
  ms = 0;
  ran = false;
  tries = 0;
  turn = 0;
  #startTurn = 0;
  cancelled = false;
  dropped = false;
  internal = false;
  broken = false;
  span: TraceSpan | undefined;
  readonly stream: Forwarding | undefined;
  readonly #attempt: Attempt;
  #cancellation: Cancellation | undefined;
  #now: number | undefined;
  #step = -1;
  #transform = "";
  /** The entry whose list of transforms is under way; undefined in `post_transforms` itself. */
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

  get place(): JsonObject {
    const { config, interface: target, ...rest } = this.run.place;
    return { config: config ?? null, interface: target ?? null, action: this.name, ...rest };
  }

  get settled(): boolean {
    return this.state === "succeeded" || this.state === "failed" || this.state === "skipped";
  }

  get cancellation(): Cancellation {
    if (this.#cancellation !== undefined) return this.#cancellation;
    const { cancellation } = this.run;
    if (this.spec.timeout === undefined) return cancellation;
    const own = new Cancellation();
    cancellation.listen(() => own.abort(new Error("the run was cancelled")));
    this.#cancellation = own;
    return own;
  }

  get signal(): AbortSignal {
    return this.cancellation.signal;
  }

  throwIfCancelled(): void {
    if (this.cancellation.aborted) throw cancelled();
  }

  abort(reason: Error): void {
    this.cancellation.abort(reason);
  }

  retrying(failure: Failure): void {
    this.data = failure.details.data ?? null;
    this.spec.retry_log?.(this);
  }

  again(): void {
    this.stream?.again();
    this.tries += 1;
    this.data = null;
    this.message = undefined;
    this.okCode = undefined;
    this.upstream = undefined;
    this.#now = undefined;
    this.#around = undefined;
    this.#step = -1;
    this.#transform = "";
  }

  get now(): number {
    this.#now ??= this.run.host.now();
    return this.#now;
  }

  get earlier(): JsonObject {
    const data: JsonObject = {};
    for (const { name, data: own, turn } of this.run.declared) if (turn > 0 && turn <= this.#startTurn) put(data, name, own);
    return data;
  }

  step(transform: string, data: Json): Json {
    this.#step += 1;
    this.#transform = transform;
    return data;
  }

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

  takes<Input extends Json>(input: Input): Input {
    this.input = input;
    return input;
  }

  /** Runs the attempt, and tells the run when the action has settled; at once when the attempt did not wait. */
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

  /** Settles without an attempt and without a report, because the run has been answered. */
  cancel(): void {
    this.state = "skipped";
    this.cancelled = true;
  }

  /** Settles as skipped without an attempt, by a gate. */
  skip(errors?: readonly string[], dropped = false): void {
    this.state = "skipped";
    this.errors = errors?.map((each) => this.run.host.redactor.failure(each));
    this.dropped = dropped;
  }

  drop(): void {
    this.dropped = this.state === "running";
  }

  /** Settles as failed without an attempt (spec/language 3.4). */
  gateFailed(error: string, code: number | undefined): void {
    this.state = "failed";
    this.error = error;
    this.code = code;
  }

  /** Settles with the awaited result. Even a bug in the steps after it ends the run, so that a waiting caller gets an answer. */
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

  /** Writes the logs of the outcome, and lets the run continue with it. */
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

  /** Settles as failed: with the failure that ended its item, if there is one, else with the thrown error. */
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
    this.upstream = upstream ?? this.upstream;
    this.internal = failure.kind !== "assert" && isInternal(this.error ?? "");
    this.span?.fail(failure.kind);
  }

  /** Settles as failed without an attempt, because its gate could not be evaluated. */
  failAtGate(thrown: unknown): void {
    this.fail(thrown);
    this.#report();
  }

  /** Logs the failure, once its effect on the run is known. */
  #report(): void {
    const code = this.failure === undefined ? "" : `${failureCodes[this.failure]} `;
    const text = `${code}${reasonOf(this.error, this.errors)}`;
    this.run.host.log(levelOfFailure(this, statusOfAct(this)), text, { ...this.place, ...placeOfAction(this) });
  }
}
