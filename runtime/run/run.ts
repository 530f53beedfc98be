import type { Exchanges } from "../capture/port.ts";
import type { HidePlan } from "../plan/hide.ts";
import type { Host } from "../process/host.ts";
import type { TraceSpan } from "../tracing/tracer.ts";
import type { Failure, FailureKind } from "../value/failure.ts";
import type { Json, JsonObject } from "../value/json.ts";
import type { Cancellation } from "./cancellation.ts";
import type { RunLine } from "./end/run-line.ts";
import type { Forwarding } from "./forwarding.ts";
import type { Config, Interface } from "./interface.ts";
import type { ActState, Awaited, Journal } from "./journal.ts";
import type { Request } from "./received.ts";
import type { ResponseTemplates, ShortReply, WrittenBody } from "./response.ts";
import type { AssertSpec, TestResult } from "./verdict.ts";

/** One run of one interface. Both paths use it by `act`, and only it records outcomes. */
export interface Run {
  readonly host: Host;
  readonly config: Config;
  readonly interface: Interface;
  /** The request that the run answers; in the run of an item, the item. */
  readonly input: Request;
  readonly cancellation: Cancellation;
  readonly id: string;
  /** The id of its request in the answer (`x-request-id`). */
  readonly requestId: string;
  /** The fields of a log record that say which run wrote it. */
  readonly place: JsonObject;
  /** The start of the run, by the monotonic clock of the host. */
  readonly began: number;

  /** The actions in the order of their start. */
  readonly acts: readonly Act[];
  /** The actions in the order of the YAML. */
  readonly declared: readonly Act[];
  /** The answer of a `response_on_*`, which ends the run. */
  short: ShortReply | undefined;
  assertion: { readonly spec: AssertSpec; readonly tests: (data: Json) => readonly TestResult[] } | undefined;
  templates: ResponseTemplates | undefined;
  /** Evaluates the templates of the answer that wait. */
  prepare: (() => Promise<void>) | undefined;
  /** The `log` of the interface, which is written when the run has ended. */
  line: RunLine | undefined;
  /** Mistakes outside of its actions: in parameters, the assert of the interface, the response. Secrets are not hidden in them. */
  problems: readonly string[] | undefined;
  /** True when a record of the run has been made, or none is wanted. */
  isRecorded: boolean;
  /** The span in which its actions are traced; that of a loop for the run of an item. */
  span: TraceSpan | undefined;
  /** The action of which this run is an item. */
  loop: Act | undefined;
  readonly shared: SharedByItems;
  /** Asks the trigger, before the first action of an interface that answers early, whether the run may go on. */
  admission: (() => boolean) | undefined;
  /** Actions that have to settle before a caller is answered early. */
  awaited: AwaitedActs | undefined;
  /** Keeps the run in a store, where its interface is durable. */
  journal: Journal | undefined;

  // The roots of markers (spec/language 2.4), under their own names.

  readonly body: Json;
  /** The request itself, also in the run of an item. */
  readonly received: Request;
  readonly raw_body: Json;
  /** The effective values, once the interface has validated the parameters. */
  params: JsonObject;
  readonly headers: JsonObject;
  readonly ip: JsonObject;
  readonly request: JsonObject;
  /** An environment variable; null when it is unset, empty, or not readable by configs. */
  readonly env: (name: string) => Json;
  /** The managed variable, else the config's `global.variables` (spec/language 2.4). */
  readonly var: (name: string) => Json;
  /** The managed variable only. */
  readonly ap_var: (name: string) => Json;
  /**
   * A value of the durable state, by `KEY` or `NAMESPACE.KEY`, as it was when it was last loaded. Throws the `Failure` of a value that
   * could not be loaded.
   */
  readonly state: (name: string) => Json;
  /** A stored secret that the run holds; null when it has no value. Throws the `Failure` of a secret that could not be fetched. */
  readonly secret: (name: string) => Json;
  /** A new random UUID for every evaluation. */
  readonly uuid: () => string;

  /** Holds a value of the durable state for the markers of this run; null when the state has none. */
  readonly keep: (name: string, value: Json | Failure) => void;
  /** Holds a secret for the markers of this run, or the reason why it has none. */
  readonly hold: (name: string, value: Json | Failure) => void;

  /** Runs the interface. Values that are read outside of actions are fetched first; the run is not over before that. */
  readonly start: () => void;
  /** The cancellation as libraries take it; the code of this runtime listens to `cancellation`. */
  readonly signal: AbortSignal;
  /** Cancels all work under way: waits throw, and I/O is aborted. */
  readonly cancel: (reason: string) => void;
  /** Cancels the run because no caller waits for its outcome: a failure from now on is not logged as an error. */
  readonly abandon: (reason: string) => void;
  /** True when the run, or the run around an item, was abandoned. */
  readonly abandoned: boolean;
  /** False when the run may not go on without its caller (spec/language 7.7): then no action runs. */
  readonly admit: () => boolean;
  /** True once every action has settled or one has answered at once. */
  readonly over: boolean;
  /** Calls `callback` when the run is over, at once if it is. A second callback replaces the first. */
  readonly whenOver: (callback: () => void) => void;
  /** Waits for the end of the run. */
  readonly finish: () => Promise<void>;
  /** Ends the run at once, after an error that no feature meant to throw: the caller gets a bare 500, the log has the stack. */
  readonly break: (error: unknown) => void;

  // The calls by which an interface, printed or walked, declares its parts.

  /** Declares an action, and starts it as soon as its gates and reads allow. */
  readonly act: (name: string, ...spec: ActArguments) => Act;
  /**
   * The order of the actions in the YAML. A module calls it where a gate names a later action, so that the order of declaration differs.
   */
  readonly writtenOrder: (...acts: readonly Act[]) => void;
  /** The interface-level assert (spec/language 6.6): evaluated after all actions settled. */
  readonly assert: (...spec: AssertArguments<readonly TestResult[]>) => void;
  /** Declares an assert with a test that waits: the run is over when the test has been evaluated. */
  readonly asyncAssert: (...spec: AssertArguments<Promise<readonly TestResult[]>>) => void;
  /** Does work when every action has settled, after work that was passed earlier; the run is over when it is done. */
  readonly lastly: (work: () => Promise<void>) => void;
  /** `response.headers`, `response.custom_body` and `response.error_body`: evaluated after all actions settled. */
  readonly respond: (templates: ResponseTemplates) => void;
  /** `log`: written when the status of the run is known. */
  readonly log: (line: RunLine) => void;
  /** An action that the run does not list: for requests outside of its actions, such as those to a secret store. */
  readonly aside: (name: string) => Act;
  /** The run of an item of a lookup, inside this one. */
  readonly inner: (target: Interface, input: Request, cancellation: Cancellation) => Run;
  /** Keeps the run open until the work is done, such as fetching values that the actions need. */
  readonly after: (work: Promise<void>) => void;
}

/** The attempt of an action, after its spec, if it has one. */
export type ActArguments = readonly [attempt: Attempt, none?: undefined] | readonly [spec: ActSpec, attempt: Attempt];

/** The tests of an assert, after its messages and codes, if it has some. */
export type AssertArguments<Results> =
  | readonly [tests: (data: Json) => Results, none?: undefined]
  | readonly [spec: AssertSpec, tests: (data: Json) => Results];

/** State that the run of a request shares with the runs of all its items. */
export interface SharedByItems {
  /** Records the exchanges of the run with other services, where a record is wanted. */
  readonly exchanges?: Exchanges<Act, Run> | undefined;
  /** Hides error texts of items from the answer, once an item has failed. */
  veil?: ItemVeil;
  /** True when no caller waits for the outcome any more. */
  abandoned?: true;
}

/** Hides error texts of the items of loops from the answer: runtime/run/end/veil.ts. */
export interface ItemVeil {
  /** Notes that the data of an action are those of a loop. */
  readonly loop: (act: Act) => void;
  /** Notes the texts of a failed action of an item; `entry` is what the data of the loop say of it. */
  readonly failed: (act: Act, entry: JsonObject | undefined, detail: boolean) => void;
  /** Sets the replacement for a part of the data of a loop. */
  readonly replace: (part: JsonObject, veiled: JsonObject) => void;
  /** The data of an action as the answer shows them. */
  readonly over: (act: Act, data: Json) => Json;
}

/** Actions of `respond_after`: runtime/run/end/respond-after.ts. */
export interface AwaitedActs {
  /** True when no further action may start: an awaited one has failed, or the run was not admitted. */
  readonly stopped: boolean;
  /** Notes that an action has settled. */
  readonly settled: (act: Act) => void;
}

export type { ActState };

/** One attempt of an action: gives its data or throws `Failure`. */
export type Attempt = (act: Act) => Json | Promise<Json>;

/** A run condition. `previous` stands for all its actions, or for the one at that index; the error text repeats the word. */
export interface Condition {
  readonly actions: readonly Act[];
  readonly previous?: true | number;
  readonly at_least?: number;
  readonly http_code_on_error?: number;
}

/** The facts about an action that are known before it runs: gates and response policy, in the words of the YAML. */
export interface ActSpec extends HidePlan {
  readonly run_when_succeeded?: readonly Act[] | Condition;
  readonly run_when_failed?: readonly Act[] | Condition;
  readonly depends_on?: readonly Act[] | Condition;
  readonly run_on_assertion?: () => readonly TestResult[] | Promise<readonly TestResult[]>;
  /** `error_message` of `run_on_assertion`; null when its marker is unset. */
  readonly guard_message?: () => string | null;
  /** Actions whose data this one reads; it waits until they have settled. */
  readonly reads?: readonly Act[];
  /** Actions that this one needs and that `only_new` may skip: it is then skipped with them. */
  readonly skips_with?: readonly Act[];
  /** The status of the run when the service answers with an unexpected status. It belongs to the assert, whose tests do not run then. */
  readonly http_code_on_error?: number;
  readonly response_on_success?: (act: Act) => ShortReply;
  readonly response_on_error?: (act: Act) => ShortReply;
  /** Functions that surround an attempt: runtime/run/around/secrets.ts, runtime/run/around/retry.ts, runtime/run/around/timeout.ts. */
  readonly secrets?: (attempt: Attempt) => Attempt;
  readonly retry?: (attempt: Attempt) => Attempt;
  readonly timeout?: (attempt: Attempt) => Attempt;
  /** `retry` of an action that makes several calls: the action retries each call by it. */
  readonly retry_calls?: (attempt: Attempt) => Attempt;
  /** `stream` of the interface, on the action whose text it forwards. */
  readonly stream?: (act: Act) => Forwarding;
  /** The token that a callback needs. */
  readonly awaits?: Awaited;
  readonly pre_log?: (act: Act) => void;
  readonly success_log?: (act: Act) => void;
  readonly post_log?: (act: Act) => void;
  readonly error_log?: (act: Act) => void;
  readonly retry_log?: (act: Act) => void;
}

/** One action of one run: a handle while the action waits and runs, its outcome once it has settled. */
export interface Act {
  readonly run: Run;
  readonly name: string;
  readonly spec: ActSpec;
  readonly state: ActState;
  readonly data: Json;
  /** The value with which the action began, where a record of the run needs it. */
  readonly input: Json | undefined;
  message: string | undefined;
  readonly error: string | undefined;
  /** The class of its failure; undefined also when a gate has failed the action. */
  readonly failure: FailureKind | undefined;
  readonly errors: readonly string[] | undefined;
  /** The status that a failed test, assert or gate asks for. */
  readonly code: number | undefined;
  /** The body that its failed test gives in place of the envelope. */
  readonly reply: WrittenBody | undefined;
  /** `http_code_on_success` of a passed assert. */
  okCode: number | undefined;
  /** Status of the upstream that caused the failure, or an accepted one from 400 on. */
  upstream: number | undefined;
  /** Milliseconds the action took; 0 when it did not run. */
  readonly ms: number;
  /** False when a gate settled it without an attempt. */
  readonly ran: boolean;
  readonly cancelled: boolean;
  /** Skipped because nothing was new, in itself or in an action that it needs. */
  readonly dropped: boolean;
  /** True when the error text may carry internals, so that only `show_error_detail` shows it. */
  readonly internal: boolean;
  /** True when a bug, of ours or of a library, has failed it. */
  readonly broken: boolean;
  /** The span of the action, where the run is traced. */
  readonly span: TraceSpan | undefined;
  readonly stream: Forwarding | undefined;
  /** The fields of a log record that say which action wrote it. */
  readonly place: JsonObject;
  readonly settled: boolean;
  /** Its place in the order in which the actions of its list settled, from 1; 0 before that. */
  turn: number;
  /** Data of the actions of its list that had settled when it started, by name (spec/language 4). */
  readonly earlier: JsonObject;
  /** Attempts that have failed before this one. */
  readonly tries: number;
  /** Cancelled when the run is cancelled or the time of the action is over. */
  readonly cancellation: Cancellation;
  /** The cancellation as libraries take it; the code of this runtime listens to `cancellation`. */
  readonly signal: AbortSignal;
  /** Unix milliseconds, the same for every marker of one attempt (spec/language 2.10). */
  readonly now: number;
  /** Throws when the run was cancelled. It is called after each wait between two steps, so that a cancelled run sends nothing more. */
  readonly throwIfCancelled: () => void;
  /** Aborts the calls that the action has under way. */
  readonly abort: (reason: Error) => void;
  /** Notes that an attempt has failed and another one follows: `retry_log` sees this failure. */
  readonly retrying: (failure: Failure) => void;
  /** Begins a new attempt: the outcome of the last one is removed, and `now` moves on. */
  readonly again: () => void;
  /** Notes the start of an entry of `post_transforms`, so that a failure can name it. Gives the data back. */
  readonly step: (transform: string, data: Json) => Json;
  /** Enters the list inside the current entry: further steps are in this list, until `leave`. */
  readonly enter: () => void;
  readonly leave: () => void;
  /** Notes the value with which the action begins. Gives the value back. */
  readonly takes: (input: Json) => Json;
  /** Notes that the attempt has found nothing new: the action ends as skipped (spec/transforms 8). */
  readonly drop: () => void;
}
