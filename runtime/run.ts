import { Act, type ActSpec, type Attempt, type Body, type ShortReply } from "./act.ts";
import type { AssertSpec, TestResult } from "./check.ts";
import { decide } from "./gates.ts";
import type { Host } from "./host.ts";
import type { Config, Interface } from "./interface.ts";
import { type Json, type JsonObject, own } from "./json.ts";
import { orFailed } from "./reply.ts";

/** What a trigger delivers (surfaces.md 0). Missing parts are null or empty. */
export interface Request {
  /** The run's UUID: `run_uuid`, `x-request-id`. */
  readonly id: string;
  readonly trigger: string;
  readonly method: string | null;
  readonly path: string | null;
  readonly body: Json;
  readonly raw_body: string | null;
  readonly params: JsonObject;
  readonly headers: JsonObject;
  readonly ip: JsonObject;
}

/** Templates of the whole answer, evaluated when the run is over. */
export interface ResponseTemplates {
  readonly headers?: () => JsonObject;
  readonly custom_body?: () => Body;
}

/** One run of one interface. Both paths drive it through `act`; nothing else records outcomes. */
export class Run {
  readonly host: Host;
  readonly config: Config;
  readonly interface: Interface;
  readonly input: Request;
  /** In start order; `declared` puts them into YAML order. */
  readonly acts: Act[] = [];
  /** What a `response_on_*` has answered. */
  short: ShortReply | undefined;
  assertion: { readonly spec: AssertSpec; readonly tests: (data: Json) => readonly TestResult[] } | undefined;
  templates: ResponseTemplates | undefined;
  #declared: readonly Act[] | undefined;
  #open = 0;
  #waiting: Act[] = [];
  #wake: (() => void) | undefined;
  #abort: AbortController | undefined;
  #variables: JsonObject | undefined;
  #loaded: Map<string, Json> | undefined;
  #params: JsonObject | undefined;
  /** The run around that of an item of a lookup. */
  readonly #parent: Run | undefined;
  /** The run of the request itself. */
  readonly #outer: Run;

  constructor(host: Host, config: Config, target: Interface, input: Request, parent?: Run) {
    this.#parent = parent;
    this.#outer = parent === undefined ? this : parent.#outer;
    this.host = host;
    this.config = config;
    this.interface = target;
    this.input = input;
  }

  get id(): string {
    return this.input.id;
  }

  // The roots of markers (language.md 2.4), under their own names.

  get body(): Json {
    return this.input.body;
  }

  get raw_body(): Json {
    return this.#outer.input.raw_body;
  }

  get params(): JsonObject {
    return this.#params ?? this.#parent?.params ?? this.input.params;
  }

  /** The effective values, once the interface has validated them. */
  set params(effective: JsonObject) {
    this.#params = effective;
  }

  get headers(): JsonObject {
    return this.#outer.input.headers;
  }

  get ip(): JsonObject {
    return this.#outer.input.ip;
  }

  get request(): JsonObject {
    if (this.#outer !== this) return this.#outer.request;
    const { id, method, path, trigger, headers, body } = this.input;
    const { params } = this;
    const { environment } = this.host;
    return { id, method, path, trigger, interface: this.interface.name, config: this.config.name, environment, headers, params, body };
  }

  /** An environment variable; an empty one counts as unset. */
  env(name: string): Json {
    return this.host.env(name) || null;
  }

  /** The managed variable, else the config's `global.variables` (decisions.md A7). */
  var(name: string): Json {
    return this.host.variable(name) ?? this.#local(name);
  }

  /** The managed variable only. */
  ap_var(name: string): Json {
    return this.host.variable(name) ?? null;
  }

  /** A value of the durable state, by `KEY` or `NAMESPACE.KEY`, as the attempt of an action has loaded it. */
  state(name: string): Json {
    return this.#loaded?.get(name) ?? null;
  }

  /** Keeps a value of the durable state for the markers of this run; null when there is none. */
  keep(name: string, value: Json): void {
    this.#loaded ??= new Map();
    this.#loaded.set(name, value);
  }

  /** A new random UUID for every evaluation. */
  uuid(): string {
    return this.host.uuid();
  }

  /** Ends when the run is cancelled: client gone, timeout, shutdown. */
  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    return this.#abort.signal;
  }

  /** Cancels what is still running; waits throw, in-flight I/O is aborted. */
  cancel(reason: string): void {
    this.#abort ??= new AbortController();
    this.#abort.abort(new Error(reason));
  }

  /** Declares an action and starts it as soon as its gates and reads allow. */
  act(name: string, spec: ActSpec, attempt: Attempt): Act {
    const act = new Act(this, name, spec, attempt);
    this.acts.push(act);
    this.#open += 1;
    if (!this.#advance(act, this.acts.length - 1)) this.#waiting.push(act);
    return act;
  }

  /** An action has settled: what waited for it may go on. */
  settle(act: Act): void {
    this.#open -= 1;
    this.#answerAtOnce(act);
    if (this.#waiting.length > 0) this.#retryWaiting();
    if (this.over) this.#end();
  }

  /** YAML order, where a gate names a later action and the start order had to differ. */
  declare(...acts: readonly Act[]): void {
    this.#declared = acts;
  }

  /** The interface-level assert (language.md 6.6): evaluated after all actions settled. */
  assert(spec: AssertSpec, tests: (data: Json) => readonly TestResult[]): void {
    this.assertion = { spec, tests };
  }

  /** `response.headers` and `response.custom_body`: evaluated after all actions settled. */
  respond(templates: ResponseTemplates): void {
    this.templates = templates;
  }

  get declared(): readonly Act[] {
    return this.#declared ?? this.acts;
  }

  /** True once every action has settled or one has answered at once. */
  get over(): boolean {
    return this.#open === 0 || this.short !== undefined;
  }

  /** Calls back when the run is over, at once if it is. One caller at a time. */
  whenOver(callback: () => void): void {
    if (this.over) callback();
    else this.#wake = callback;
  }

  /** The same as a promise. */
  finish(): Promise<void> {
    return new Promise((resolve) => this.whenOver(resolve));
  }

  /** Settles or starts the action if it may; false when it has to wait on. */
  #advance(act: Act, index: number): boolean {
    const step = this.short === undefined ? decide(act, this.acts, index) : "skip";
    if (step === "wait") return false;
    if (step === "run") act.start();
    else {
      if (step === "skip") act.cancel();
      else if ("failure" in step) act.fail(step.failure);
      else if (step.state === "failed") act.gateFailed(step.error, step.code);
      else act.skip(step.errors);
      this.settle(act);
    }
    return true;
  }

  #end(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }

  #retryWaiting(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const act of waiting) if (!this.#advance(act, this.acts.indexOf(act))) this.#waiting.push(act);
  }

  #answerAtOnce(act: Act): void {
    if (this.short !== undefined || !act.ran) return;
    const answer = act.state === "succeeded" ? act.spec.response_on_success : act.spec.response_on_error;
    if (answer !== undefined) this.short = orFailed(this, () => answer(act));
  }

  #local(name: string): Json {
    if (this.#outer !== this) return this.#outer.#local(name);
    const variable = this.config.variables === undefined ? undefined : own(this.config.variables, name);
    if (variable === undefined) return null;
    this.#variables ??= {};
    this.#variables[name] ??= variable(this);
    return this.#variables[name] ?? null;
  }
}
