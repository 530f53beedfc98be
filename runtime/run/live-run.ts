import type { Host } from "../process/host.ts";
import type { TraceSpan } from "../tracing/tracer.ts";
import { failureCodes } from "../value/failure.ts";
import type { Json, JsonObject } from "../value/json.ts";
import { stackOf } from "../value/thrown.ts";
import { limitReason } from "../value/too-large.ts";
import { placeOfInterface } from "./action-place.ts";
import { Cancellation } from "./cancellation.ts";
import { actionSettles, runBegins } from "./end/debug-log.ts";
import { evaluated, orFailed } from "./end/reply.ts";
import type { RunLine } from "./end/run-line.ts";
import { type Decision, decide } from "./gates.ts";
import type { Config, Interface } from "./interface.ts";
import { LiveAct } from "./live-act.ts";
import { withOptions } from "./options.ts";
import type { OwnerOfActs } from "./owner.ts";
import type { Request } from "./received.ts";
import type { ResponseTemplates, ShortReply } from "./response.ts";
import { RunRoots } from "./roots.ts";
import type { Act, ActArguments, AssertArguments, AwaitedActs, Run, SharedByItems } from "./run.ts";
import type { AssertSpec, TestResult } from "./verdict.ts";

/** A run as triggers begin it. The members of `Run` are explained there. */
export class LiveRun extends RunRoots implements OwnerOfActs {
  readonly cancellation: Cancellation;
  readonly acts: LiveAct[] = [];
  short: ShortReply | undefined;
  assertion: { readonly spec: AssertSpec; readonly tests: (data: Json) => readonly TestResult[] } | undefined;
  templates: ResponseTemplates | undefined;
  prepare: (() => Promise<void>) | undefined;
  line: RunLine | undefined;
  problems: readonly string[] | undefined;
  isRecorded = false;
  readonly began: number;
  span: TraceSpan | undefined;
  loop: Act | undefined;
  /** State that the run shares with the runs of all its items. */
  readonly shared: SharedByItems;
  admission: (() => boolean) | undefined;
  awaited: AwaitedActs | undefined;
  /** The number of actions that have settled. */
  turn = 0;
  #declared: readonly Act[] | undefined;
  #open = 0;
  /** The work that follows when every action has settled. */
  #last: (() => Promise<void>) | undefined;
  /** Places in `acts` of the actions whose gates have not decided yet. */
  #waiting: number[] = [];
  /** The number of actions that have settled before the first one that has not. */
  #settledFirst = 0;
  #wake: (() => void) | undefined;

  constructor(host: Host, config: Config, target: Interface, input: Request, parent?: LiveRun, cancellation = new Cancellation()) {
    super(host, config, target, input, parent);
    this.shared = parent === undefined ? { exchanges: target.capture?.listen(host, config, target) } : parent.shared;
    this.cancellation = cancellation;
    this.began = parent?.began ?? host.monotonic();
  }

  protected override get whole(): Run {
    return this;
  }

  get place(): JsonObject {
    const place: JsonObject = { config: this.config.name, interface: this.interface.name, run_uuid: this.id };
    const { caller } = this.received;
    if (caller !== undefined) place[caller.isTrusted ? "request_id" : "client_request_id"] = caller.text;
    if (this.span !== undefined) place.trace_id = this.span.context.traceId;
    return place;
  }

  start(): void {
    if (this.host.debug) runBegins(this);
    const loading = this.interface.load?.(this);
    if (loading === undefined) this.#run();
    else this.after(loading.then(() => this.#run()));
  }

  #run(): void {
    const { last } = this.interface;
    // The declaration itself counts as open work, so that the last work waits until everything is declared.
    this.#open += 1;
    if (last !== undefined) this.lastly(async () => last(this));
    this.interface.run(this);
    this.#release();
  }

  get signal(): AbortSignal {
    return this.cancellation.signal;
  }

  cancel(reason: string): void {
    this.cancellation.abort(new Error(reason));
  }

  abandon(reason: string): void {
    this.shared.abandoned = true;
    this.host.log("debug", reason, this.place);
    this.cancel(reason);
  }

  get abandoned(): boolean {
    return this.shared.abandoned === true;
  }

  admit(): boolean {
    return this.admission?.() ?? true;
  }

  act(name: string, ...args: ActArguments): Act {
    const act = new LiveAct(this, name, ...withOptions(args));
    this.acts.push(act);
    this.#open += 1;
    if (this.journal?.restore(act)) {
      this.answerAtOnce(act);
      this.settle(act);
    } else this.#advance(act, this.acts.length - 1);
    return act;
  }

  /** Notes that an action has settled, and starts actions that waited for it. */
  settle(act: Act): void {
    this.#open -= 1;
    this.turn += 1;
    act.turn = this.turn;
    act.stream?.end();
    this.awaited?.settled(act);
    if (this.host.debug) actionSettles(act);
    if (this.#waiting.length > 0) this.#retryWaiting();
    this.#close();
  }

  aside(name: string): Act {
    return new LiveAct(this, name, {}, () => null);
  }

  inner(target: Interface, input: Request, cancellation: Cancellation): Run {
    return new LiveRun(this.host, this.config, target, input, this, cancellation);
  }

  writtenOrder(...acts: readonly Act[]): void {
    this.#declared = acts;
  }

  assert(...args: AssertArguments<readonly TestResult[]>): void {
    const [spec, tests] = withOptions(args);
    this.assertion = { spec, tests };
  }

  asyncAssert(...args: AssertArguments<Promise<readonly TestResult[]>>): void {
    this.lastly(async () => {
      this.assertion = await evaluated(this, ...withOptions(args));
    });
  }

  lastly(work: () => Promise<void>): void {
    const earlier = this.#last;
    if (earlier === undefined) this.#open += 1;
    this.#last = earlier === undefined ? work : () => earlier().then(work);
    this.#close();
  }

  after(work: Promise<void>): void {
    this.#open += 1;
    this.journal?.busy(work);
    work.then(
      () => this.#release(),
      (error: unknown) => this.break(error),
    );
  }

  respond(templates: ResponseTemplates): void {
    this.templates = templates;
  }

  log(line: RunLine): void {
    this.line = line;
  }

  get declared(): readonly Act[] {
    return this.#declared ?? this.acts;
  }

  get over(): boolean {
    return this.#open === 0 || this.short !== undefined;
  }

  whenOver(callback: () => void): void {
    if (this.over) callback();
    else this.#wake = callback;
  }

  finish(): Promise<void> {
    return new Promise((resolve) => this.whenOver(resolve));
  }

  /** Counts one piece of work as done; the last piece ends the run. */
  #release(): void {
    this.#open -= 1;
    this.#close();
  }

  break(error: unknown): void {
    const limit = limitReason(error);
    if (limit === undefined) this.host.log("critical", "unexpected error in a run", { run_uuid: this.id, stack: stackOf(error) });
    else this.host.log("error", `${failureCodes.evaluation} ${limit}`, { ...this.place, ...placeOfInterface(this) });
    this.short = { http_code: 500, body: { text: '{"error":"internal_error"}', type: "application/json" } };
    this.#release();
  }

  /** Settles or starts the action if it may; otherwise it keeps waiting. */
  #advance(act: LiveAct, index: number): void {
    const step = this.#isEnding ? "skip" : this.journal?.holds(this) ? "wait" : decide(act, this.#isNext(index));
    if (step === "wait") this.#waiting.push(index);
    else if (step instanceof Promise) this.after(step.then((decided) => this.#take(act, this.#isEnding ? "skip" : decided)));
    else this.#take(act, step);
  }

  /** True when all actions that were declared before this one have settled. No action is asked again once it has settled. */
  #isNext(index: number): boolean {
    while (this.#settledFirst < index && this.acts[this.#settledFirst]?.settled === true) this.#settledFirst += 1;
    return this.#settledFirst >= index;
  }

  /** True when no further action is needed: the answer is known, the caller has disconnected, or time is over. */
  get #isEnding(): boolean {
    return this.short !== undefined || this.cancellation.aborted || this.awaited?.stopped === true;
  }

  /** Carries out a decision about an action. */
  #take(act: LiveAct, step: Exclude<Decision, "wait">): void {
    if (step === "run") act.start();
    else {
      if (step === "skip") act.cancel();
      else if ("failure" in step) act.failAtGate(step.failure);
      else if (step.state === "failed") act.gateFailed(step.error, step.code);
      else act.skip(step.errors, step.dropped);
      if (this.journal === undefined || step === "skip") this.settle(act);
      else this.journal.keep(act, () => this.settle(act));
    }
  }

  /** Begins the last work when all other work is done; ends the run when no work is left. */
  #close(): void {
    const last = this.#last;
    if (last !== undefined && this.#open === 1) {
      this.#last = undefined;
      this.after(last());
      this.#open -= 1;
    }
    if (!this.over) return;
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }

  goOn(): void {
    this.#retryWaiting();
    this.#close();
  }

  #retryWaiting(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const index of waiting) {
      const act = this.acts[index];
      if (act !== undefined) this.#advance(act, index);
    }
  }

  /** Notes that an action has ended: its `response_on_success` or `response_on_error` may answer at once. */
  answerAtOnce(act: Act): void {
    if (this.short !== undefined || act.state === "skipped") return;
    const answer = act.state === "succeeded" ? act.spec.response_on_success : act.spec.response_on_error;
    if (answer !== undefined) this.short = orFailed(this, () => answer(act));
  }
}
