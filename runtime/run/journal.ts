import type { FailureKind } from "../value/failure.ts";
import type { Json } from "../value/json.ts";
import type { WrittenBody } from "./response.ts";

export type ActState = "waiting" | "running" | "succeeded" | "failed" | "skipped";

/** The parts of an action that are kept when it has settled, and given back when another process goes on with its run. */
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

/** An action as a journal has it. */
export interface KeptAct extends Outcome {
  readonly name: string;
  readonly run: KeptRun;
  readonly spec: { readonly awaits?: Awaited };
}

/** The token of an action that waits for somebody: it can be used as soon as it is known, by actions before that one, too. */
export interface Awaited {
  /** The actions of which it is made. */
  readonly of: readonly { readonly settled: boolean }[];
  readonly token: () => string;
}

/** A run as a journal has it: that of the request, or that of an item of a loop. */
export interface KeptRun {
  /** In start order. */
  readonly acts: readonly KeptAct[];
  /** Actions that were held may start. */
  readonly goOn: () => void;
  readonly break: (error: unknown) => void;
}

/** A question for somebody who may answer it later. */
export interface OpenQuestion {
  /** Operators see it while it waits. */
  readonly question: Json;
  /** Milliseconds in which an answer counts. */
  readonly ms: number;
  /** Tells somebody how to answer, before the wait, when the token can be used already. False: nobody was told, so nothing is awaited. */
  readonly tell: (token: string) => Promise<boolean>;
}

export type Answered = { readonly state: "answered"; readonly payload: Json } | { readonly state: "late" | "untold" };

/**
 * An action that consists of steps, each of which is kept when it has been done. Work between the steps is done again where another process
 * goes on with the run. Names of steps are the same then, and hold no brackets and no unseen characters.
 */
export interface Steps {
  /** Gives what the step has given before; else does it, and keeps its result, which is plain data, before anything goes on. */
  readonly once: <Result>(name: string, work: () => Promise<Result>) => Promise<Result>;
  /** Waits for the answer to a question. The run leaves the process meanwhile, when all else in it has been done. */
  readonly ask: (name: string, asked: OpenQuestion) => Promise<Answered>;
}

/** An action that waits, and has nothing under way meanwhile. */
export interface RestingAct {
  readonly signal: AbortSignal;
}

/** Keeps a durable run in the store while it goes on (runtime/durable). It names no run of its own, so that runs can hold it. */
export interface Journal {
  /** Another process has begun the run: its parameters are those that were kept. */
  readonly isResumed: boolean;
  /** True while no action may start; the run is told when it may. */
  readonly holds: (run: KeptRun) => boolean;
  /** Settles an action as it has settled before; false when it has not. */
  readonly restore: (act: KeptAct) => boolean;
  /** Does an attempt of an action. */
  readonly attempt: <Act extends KeptAct, Result>(act: Act, work: (act: Act) => Result) => Result;
  /** Keeps how an action has settled; `tell` is called once that is in the store. */
  readonly keep: (act: KeptAct, tell: () => void) => void;
  /** The journal of an item of a loop. */
  readonly inner: (loop: { readonly name: string; readonly tries: number }, index: number) => Journal;
  /** The steps of an action, in the attempt that has begun. */
  readonly steps: (act: { readonly name: string; readonly tries: number }) => Steps;
  /** The journal of a run that the action begins in a step: it keeps nothing by itself. */
  readonly within: () => Journal;
  /** True when runs outlive the process. */
  readonly isLasting: boolean;
  /** The action fails after so many milliseconds (`timeout`), also in a wait that has left the process. */
  readonly limit: (act: { readonly name: string }, ms: number) => void;
  /** Waits so many milliseconds. The run leaves the process meanwhile, when nothing else goes on in it. */
  readonly pause: (act: { readonly name: string }, ms: number) => Promise<void>;
  /** Waits likewise until somebody who has the token sends something; undefined when nobody has in so many milliseconds. */
  readonly callback: (act: { readonly name: string }, token: string, ms: number) => Promise<Json | undefined>;
  /** The action rests until the wait is over, and may go on: a process that ends lets go of the run, and the action begins anew. */
  readonly rests: (act: RestingAct, wait: Promise<void>) => Promise<void>;
  /** The run waits for something besides its actions. */
  readonly busy: (work: Promise<void>) => void;
  /** Evaluates something that has this name in every process that goes on with the run. */
  readonly named: <Result>(name: string, work: () => Result) => Result;
  /** Marks what the action remembers: always alike for it, so that it finds its own again when it is done again. */
  readonly mark: (act: { readonly name: string }) => string;
  /** A UUID that is the same wherever the run goes on. */
  readonly uuid: () => string;
  /** Throws when the run may be another node's by now: nothing more is sent from here. */
  readonly touches: () => void;
}
