import type { FailureKind } from "../value/failure.ts";
import type { Json } from "../value/json.ts";
import type { Body } from "./response.ts";

export type ActState = "waiting" | "running" | "succeeded" | "failed" | "skipped";

/** The parts of an action that are kept when it has settled, and given back when another process goes on with its run. */
export interface Outcome {
  state: ActState;
  data: Json;
  message: string | undefined;
  error: string | undefined;
  failure: FailureKind | undefined;
  errors: readonly string[] | undefined;
  code: number | undefined;
  reply: Body | undefined;
  okCode: number | undefined;
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
  /** True when runs outlive the process. */
  readonly isLasting: boolean;
  /** Waits so many milliseconds. The run leaves the process meanwhile, when nothing else goes on in it. */
  readonly pause: (act: { readonly name: string }, ms: number) => Promise<void>;
  /** Waits likewise until somebody who has the token sends something; undefined when nobody has in so many milliseconds. */
  readonly callback: (act: { readonly name: string }, token: string, ms: number) => Promise<Json | undefined>;
  /** The run waits for something besides its actions. */
  readonly busy: (work: Promise<void>) => void;
  /** Evaluates something that has this name in every process that goes on with the run. */
  readonly named: <Result>(name: string, work: () => Result) => Result;
  /** A UUID that is the same wherever the run goes on. */
  readonly uuid: () => string;
  /** Throws when the run may be another node's by now: nothing more is sent from here. */
  readonly touches: () => void;
}
