import type { FailureKind } from "../value/failure.ts";
import type { Json } from "../value/json.ts";
import type { WrittenBody } from "./response.ts";

export type ActState = "waiting" | "running" | "succeeded" | "failed" | "skipped";

/** The parts of an action that are stored when it has settled, and restored when another process continues its run. */
export interface Outcome {
  state: ActState;
  data: Json;
  message: string | undefined;
  error: string | undefined;
  failure: FailureKind | undefined;
  errors: readonly string[] | undefined;
  /** The HTTP status that a failed test, assert or gate asks for. Outcomes are stored under the names of these fields. */
  code: number | undefined;
  reply: WrittenBody | undefined;
  /** The HTTP status that a passed assert asks for. */
  okCode: number | undefined;
  /** The HTTP status of the upstream that caused the failure. */
  upstream: number | undefined;
  ms: number;
  ran: boolean;
  dropped: boolean;
  internal: boolean;
  broken: boolean;
}

/** An action as its journal sees it. */
export interface KeptAct extends Outcome {
  readonly name: string;
  readonly run: KeptRun;
  readonly spec: { readonly awaits?: Awaited };
}

/** The token of an action that waits for a callback. It is valid as soon as it can be known, which may be in actions before that one. */
export interface Awaited {
  /** The actions from whose data the token is made. */
  readonly of: readonly { readonly settled: boolean }[];
  readonly token: () => string;
}

/** A run as its journal sees it: the run of the request, or of an item of a loop. */
export interface KeptRun {
  /** The actions in the order of their start. */
  readonly acts: readonly KeptAct[];
  /** Starts actions that were held, if they may start. */
  readonly goOn: () => void;
  readonly break: (error: unknown) => void;
}

/** A question to a person who may answer it later. */
export interface OpenQuestion {
  /** Operators see it while it waits. */
  readonly question: Json;
  /** Milliseconds within which an answer counts. */
  readonly ms: number;
  /**
   * Sends the question with its token, before the wait, when the token is already valid. False when it reached no person: then the action
   * does not wait.
   */
  readonly tell: (token: string) => Promise<boolean>;
}

export type Answered = { readonly state: "answered"; readonly payload: Json } | { readonly state: "late" | "untold" };

/**
 * The steps of an action that consists of steps, each of which is stored when it is done. Work between the steps is repeated when another
 * process continues the run. The names of the steps must be the same then; they hold no brackets and no control characters.
 */
export interface Steps {
  /** Gives the stored result of the step. Without one it does the step, and stores its result, which is plain data, before it resolves. */
  readonly once: <Result>(name: string, work: () => Promise<Result>) => Promise<Result>;
  /** Waits for the answer to a question. The run leaves the process meanwhile, when all else in it is done. */
  readonly ask: (name: string, asked: OpenQuestion) => Promise<Answered>;
}

/** An action that waits and has nothing under way meanwhile. */
export interface RestingAct {
  readonly signal: AbortSignal;
}

/** Keeps a durable run in the store while it goes on (runtime/durable). It does not name the type of runs, so that `Run` can use it. */
export interface Journal {
  /** True when another process has begun the run: its parameters are the stored ones. */
  readonly isResumed: boolean;
  /** True while no action may start; then `goOn` of the run is called when one may. */
  readonly holds: (run: KeptRun) => boolean;
  /** Settles an action from its stored outcome; false when there is none. */
  readonly restore: (act: KeptAct) => boolean;
  /** Does an attempt of an action. */
  readonly attempt: <Act extends KeptAct, Result>(act: Act, work: (act: Act) => Result) => Result;
  /** Stores how an action has settled; `tell` is called once that is stored. */
  readonly keep: (act: KeptAct, tell: () => void) => void;
  /** The journal of an item of a loop. */
  readonly inner: (loop: { readonly name: string; readonly tries: number }, index: number) => Journal;
  /** The steps of an action, in the attempt that has begun. */
  readonly steps: (act: { readonly name: string; readonly tries: number }) => Steps;
  /** The journal of a run that the action begins in a step; such a run stores nothing by itself. */
  readonly within: () => Journal;
  /** True when runs outlive the process. */
  readonly isLasting: boolean;
  /** Notes the `timeout` of an action in milliseconds: it also ends a wait after the run has left the process. */
  readonly limit: (act: { readonly name: string }, ms: number) => void;
  /** Waits `ms` milliseconds. The run leaves the process meanwhile, when all else in it is done. */
  readonly pause: (act: { readonly name: string }, ms: number) => Promise<void>;
  /** Waits like `pause`, until a callback with the token arrives; undefined when none has arrived in `ms` milliseconds. */
  readonly callback: (act: { readonly name: string }, token: string, ms: number) => Promise<Json | undefined>;
  /**
   * Lets the action rest until the wait is over. When the process ends meanwhile, the run is released, and the action begins anew
   * elsewhere.
   */
  readonly rests: (act: RestingAct, wait: Promise<void>) => Promise<void>;
  /** Notes that the run waits for work beside its actions. */
  readonly busy: (work: Promise<void>) => void;
  /** Evaluates work under a name that is the same in every process that continues the run. */
  readonly named: <Result>(name: string, work: () => Result) => Result;
  /** A mark under which the action remembers values. It is always the same, so that a repeated action finds its own values again. */
  readonly mark: (act: { readonly name: string }) => string;
  /** A UUID that is the same in every process that continues the run. */
  readonly uuid: () => string;
  /** Throws when the run may belong to another node already, so that this process sends nothing more. */
  readonly touches: () => void;
}
