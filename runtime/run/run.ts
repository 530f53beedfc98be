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

/** One run of one interface. Both paths drive it through `act`; nothing else records outcomes. */
export interface Run {
  readonly host: Host;
  readonly config: Config;
  readonly interface: Interface;
  /** The request that it answers; in the run of an item, the item. */
  readonly input: Request;
  readonly cancellation: Cancellation;
  readonly id: string;
  /** The name of its request in the answer (`x-request-id`). */
  readonly requestId: string;
  /** The members by which a record of the log says where it comes from. */
  readonly place: JsonObject;
  /** By the monotonic clock of the host. */
  readonly began: number;

  /** In start order. */
  readonly acts: readonly Act[];
  /** In YAML order. */
  readonly declared: readonly Act[];
  /** The answer of a `response_on_*`, which ends the run. */
  short: ShortReply | undefined;
  assertion: { readonly spec: AssertSpec; readonly tests: (data: Json) => readonly TestResult[] } | undefined;
  templates: ResponseTemplates | undefined;
  /** Evaluates templates that wait. */
  prepare: (() => Promise<void>) | undefined;
  /** The `log` of the interface, which is written when the run has ended. */
  line: RunLine | undefined;
  /** Mistakes besides those of its actions: of parameters, the assert of the interface, the response. Secrets are not hidden in it. */
  problems: readonly string[] | undefined;
  /** True when a record of it has been made, or it was found that none is wanted. */
  isRecorded: boolean;
  /** The span in which its actions are traced; that of a loop for the run of an item. */
  span: TraceSpan | undefined;
  /** The action whose item this is the run of. */
  loop: Act | undefined;
  readonly shared: SharedByItems;
  /** Asks the trigger, before the first action of an interface that answers early, whether the run may go on. */
  admission: (() => boolean) | undefined;
  /** Actions that a caller who is answered early waits for. */
  awaited: AwaitedActs | undefined;
  /** Keeps the run, where its interface is durable. */
  journal: Journal | undefined;

  // The roots of markers (spec/language 2.4), under their own names.

  readonly body: Json;
  /** The request itself, also in the run of an item. */
  readonly received: Request;
  readonly raw_body: Json;
  /** The effective values, once the interface has validated them. */
  params: JsonObject;
  readonly headers: JsonObject;
  readonly ip: JsonObject;
  readonly request: JsonObject;
  /** An environment variable; an empty one counts as unset, and so does one that configs may not read. */
  readonly env: (name: string) => Json;
  /** The managed variable, else the config's `global.variables` (spec/language 2.4). */
  readonly var: (name: string) => Json;
  /** The managed variable only. */
  readonly ap_var: (name: string) => Json;
  /**
   * A value of the durable state, by `KEY` or `NAMESPACE.KEY`, as it was when it was last loaded. Throws the `Failure` of one that could
   * not be.
   */
  readonly state: (name: string) => Json;
  /** A stored secret that the run holds; null when nobody has set it. Throws the `Failure` of one that could not be fetched. */
  readonly secret: (name: string) => Json;
  /** A new random UUID for every evaluation. */
  readonly uuid: () => string;

  /** Keeps a value of the durable state for the markers of this run; null when there is none. */
  readonly keep: (name: string, value: Json | Failure) => void;
  /** Keeps a secret for the markers of this run, or why there is none. */
  readonly hold: (name: string, value: Json | Failure) => void;

  /** Runs the interface. Values that it reads outside of actions are fetched before; until then the run is not over. */
  readonly start: () => void;
  /** For libraries; our own code listens to `cancellation`. */
  readonly signal: AbortSignal;
  /** Cancels what is still running; waits throw, in-flight I/O is aborted. */
  readonly cancel: (reason: string) => void;
  /** Cancels it because nobody waits for its outcome any more: what fails from now on is no error. */
  readonly abandon: (reason: string) => void;
  /** True also of the run of an item. */
  readonly abandoned: boolean;
  /** False when the run may not go on without its caller (spec/language 7.7): then no action runs. */
  readonly admit: () => boolean;
  /** True once every action has settled or one has answered at once. */
  readonly over: boolean;
  /** Calls back when the run is over, at once if it is. A later caller takes the place of an earlier one. */
  readonly whenOver: (callback: () => void) => void;
  /** Waits for the end of the run. */
  readonly finish: () => Promise<void>;
  /** Ends at once because of what no feature meant to throw: the caller learns nothing, the log has the stack. */
  readonly break: (error: unknown) => void;

  // The calls by which an interface, printed or walked, says what it is made of.

  /** Declares an action and starts it as soon as its gates and reads allow. */
  readonly act: (name: string, ...spec: ActArguments) => Act;
  /** The order of the YAML; it is written where a gate names a later action, so that actions start in another order. */
  readonly writtenOrder: (...acts: readonly Act[]) => void;
  /** The interface-level assert (spec/language 6.6): evaluated after all actions settled. */
  readonly assert: (...spec: AssertArguments<readonly TestResult[]>) => void;
  /** Declares an assert with a test that waits: the run is over when it has been evaluated. */
  readonly asyncAssert: (...spec: AssertArguments<Promise<readonly TestResult[]>>) => void;
  /** Does work when every action has settled, after the work that was asked for earlier; the run is over when it is done. */
  readonly lastly: (work: () => Promise<void>) => void;
  /** `response.headers`, `response.custom_body` and `response.error_body`: evaluated after all actions settled. */
  readonly respond: (templates: ResponseTemplates) => void;
  /** `log`: written when the status of the run is known. */
  readonly log: (line: RunLine) => void;
  /** An action that the run does not list: for requests beside its actions, such as those to a secret store. */
  readonly aside: (name: string) => Act;
  /** The run of an item of a lookup, inside this one. */
  readonly inner: (target: Interface, input: Request, cancellation: Cancellation) => Run;
  /** Keeps the run open while something is waited for, such as values that the actions need. */
  readonly after: (work: Promise<void>) => void;
}

/** The attempt of an action, behind what is known about it if there is something. */
export type ActArguments = readonly [attempt: Attempt, none?: undefined] | readonly [spec: ActSpec, attempt: Attempt];

/** The tests of an assert, behind its messages and codes if it has some. */
export type AssertArguments<Results> =
  | readonly [tests: (data: Json) => Results, none?: undefined]
  | readonly [spec: AssertSpec, tests: (data: Json) => Results];

/** State of the run of a request and of the runs of all items in it. */
export interface SharedByItems {
  /** Hears what the run asks of the outside, where it is to be recorded. */
  readonly exchanges?: Exchanges<Act, Run> | undefined;
  /** Hides error texts of items from the answer, where an item has failed. */
  veil?: ItemVeil;
  /** Nobody waits for the outcome any more. */
  abandoned?: true;
}

/** Hides error texts of the items of loops from the answer: runtime/run/end/veil.ts. */
export interface ItemVeil {
  /** Notes that the data of an action are those of a loop. */
  readonly loop: (act: Act) => void;
  /** Notes the texts of a failed action of an item; `entry` is what the data of the loop say of it. */
  readonly failed: (act: Act, entry: JsonObject | undefined, detail: boolean) => void;
  /** Notes what takes the place of a part of the data of a loop. */
  readonly replace: (part: JsonObject, veiled: JsonObject) => void;
  /** The data of an action as the answer shows them, from what it shows of the action alone. */
  readonly over: (act: Act, data: Json) => Json;
}

/** Actions of `respond_after`: runtime/run/end/respond-after.ts. */
export interface AwaitedActs {
  /** No further action may start: an awaited one has failed, or the run was not admitted. */
  readonly stopped: boolean;
  /** An action has settled. */
  readonly settled: (act: Act) => void;
}

export type { ActState };

/** One attempt of an action: gives its data or throws `Failure`. */
export type Attempt = (act: Act) => Json | Promise<Json>;

/** A run condition. `previous` was written for all its actions, or for the one at that index; the error text repeats the word. */
export interface Condition {
  readonly actions: readonly Act[];
  readonly previous?: true | number;
  readonly at_least?: number;
  readonly http_code_on_error?: number;
}

/** The facts about an action that are known before it runs: gates and reply policy, in the words of the YAML. */
export interface ActSpec extends HidePlan {
  readonly run_when_succeeded?: readonly Act[] | Condition;
  readonly run_when_failed?: readonly Act[] | Condition;
  readonly depends_on?: readonly Act[] | Condition;
  readonly run_on_assertion?: () => readonly TestResult[] | Promise<readonly TestResult[]>;
  /** Actions whose data this one reads; it waits until they have settled. */
  readonly reads?: readonly Act[];
  /** Actions that it needs and that `only_new` may skip: it is then skipped with them. */
  readonly skips_with?: readonly Act[];
  /** Status when the service answers with one that is not expected: it is that of the assert, whose tests do not run then. */
  readonly http_code_on_error?: number;
  readonly response_on_success?: (act: Act) => ShortReply;
  readonly response_on_error?: (act: Act) => ShortReply;
  /** Functions that surround an attempt: runtime/run/around/secrets.ts, runtime/run/around/retry.ts, runtime/run/around/timeout.ts. */
  readonly secrets?: (attempt: Attempt) => Attempt;
  readonly retry?: (attempt: Attempt) => Attempt;
  readonly timeout?: (attempt: Attempt) => Attempt;
  /** `retry` of an action that makes several calls: it surrounds each of them, by the action itself. */
  readonly retry_calls?: (attempt: Attempt) => Attempt;
  /** `stream` of the interface, where this is the action that it forwards. */
  readonly stream?: (act: Act) => Forwarding;
  /** The token that a callback needs. */
  readonly awaits?: Awaited;
  readonly pre_log?: (act: Act) => void;
  readonly success_log?: (act: Act) => void;
  readonly post_log?: (act: Act) => void;
  readonly error_log?: (act: Act) => void;
  readonly retry_log?: (act: Act) => void;
}

/** One action of one run: a handle while it waits and runs, its outcome once it has settled. */
export interface Act {
  readonly run: Run;
  readonly name: string;
  readonly spec: ActSpec;
  readonly state: ActState;
  readonly data: Json;
  /** The value that it began with, where the run keeps that for its record. */
  readonly input: Json | undefined;
  message: string | undefined;
  readonly error: string | undefined;
  /** The class of its failure; undefined also where a gate has failed it. */
  readonly failure: FailureKind | undefined;
  readonly errors: readonly string[] | undefined;
  /** Status a failed test, assert or gate asks for. */
  readonly code: number | undefined;
  /** The body that its failed test gives in place of the envelope. */
  readonly reply: WrittenBody | undefined;
  /** `http_code_on_success` of a passed assert. */
  okCode: number | undefined;
  /** Status of the upstream that caused the failure. */
  readonly upstream: number | undefined;
  /** Milliseconds the action took; 0 when it did not run. */
  readonly ms: number;
  /** False when a gate settled it without an attempt. */
  readonly ran: boolean;
  readonly cancelled: boolean;
  /** Skipped because nothing was new, in itself or in an action that it needs. */
  readonly dropped: boolean;
  /** True when the error text may carry internals, so that only `show_error_detail` shows it. */
  readonly internal: boolean;
  /** True when it has failed by a bug, of ours or of a library. */
  readonly broken: boolean;
  /** The span of the action, where the run is traced. */
  readonly span: TraceSpan | undefined;
  readonly stream: Forwarding | undefined;
  /** The members by which a record of the log says where it comes from. */
  readonly place: JsonObject;
  readonly settled: boolean;
  /** Its place in the order in which the actions of its list settled, from 1; 0 until it has settled. */
  turn: number;
  /** Data of the actions of its list that had settled when it started, by name (spec/language 4). */
  readonly earlier: JsonObject;
  /** Attempts that have failed before this one. */
  readonly tries: number;
  /** Ends when the run is cancelled or the time of the action is over. */
  readonly cancellation: Cancellation;
  /** For libraries; our own code listens to `cancellation`. */
  readonly signal: AbortSignal;
  /** Unix milliseconds, the same for every marker of one attempt (spec/language 2.10). */
  readonly now: number;
  /**
   * Throws when the run was cancelled. It is called between two steps that have a wait between them, so that a cancelled run sends nothing
   * more.
   */
  readonly throwIfCancelled: () => void;
  /** Aborts what the action has in flight. */
  readonly abort: (reason: Error) => void;
  /** An attempt failed and there will be another one: until then the failure is what `retry_log` sees. */
  readonly retrying: (failure: Failure) => void;
  /** A new attempt: nothing of the last one is left, and time goes on. */
  readonly again: () => void;
  /** Marks the start of a `post_transforms` entry, so that a failure can name it; gives the data back. */
  readonly step: (transform: string, data: Json) => Json;
  /** The steps to come are those of the list inside the current one, until `leave`. */
  readonly enter: () => void;
  readonly leave: () => void;
  /** Keeps what the action begins with; gives it back. */
  readonly takes: (input: Json) => Json;
  /** The attempt has found nothing new: it ends as skipped (spec/transforms 8). */
  readonly drop: () => void;
}
