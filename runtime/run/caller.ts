import type { IncomingMessage, ServerResponse } from "node:http";
import type { Host } from "../process/host.ts";
import type { Json, JsonObject } from "../value/json.ts";
import type { Refusal } from "./refusals.ts";
import type { Reply } from "./response.ts";

/** The trigger's side of a run. The run calls `answer`, `refuse` or `gone` at most once. */
export interface Asker {
  /** Sends the reply of the run, or the 202 of a run that goes on without its caller. Gives the status that was sent. */
  readonly answer: (reply: Reply) => number;
  /** Sends an answer that is not the run's own: its time is over, too many runs go on, or there was a bug. */
  readonly refuse: (refusal: Refusal) => void;
  /** Called when the caller was gone before the answer. */
  readonly gone?: () => void;
  /** Called when the run begins to wait. The trigger calls `abandon` when the caller disconnects. */
  readonly waits?: (abandon: () => void) => void;
}

/** Makes a shutdown wait for runs. */
export interface FollowerOf<Run> {
  /** Calls `done` when the run is over; the result cancels that. */
  readonly follow: (run: Run, done: () => void) => () => void;
}

/** How a trigger wants its run to be handled. It does not name the type of runs, so that `Interface` can use it. */
export interface OptionsOf<Run> {
  readonly asker: Asker;
  /** Follows the run; by default the process follows it in the background. */
  readonly follower?: FollowerOf<Run>;
  /** True when this trigger allows `respond: early`. */
  readonly mayBeEarly?: boolean;
  /** False when the run has no time limit. */
  readonly hasDeadline?: boolean;
  /** Called instead of logging the run and starting the handler of its failure. */
  readonly conclude?: (status: number) => void;
  /** Called when a durable run is in its store: from then on it goes on even when the process ends. */
  readonly stored?: () => void;
  /** Called when a durable run has left this process and continues elsewhere or later: this process logs no end of it. */
  readonly left?: () => void;
}

/** Runs of other processes that go on without their callers. */
export interface DetachedCount {
  /** The number of such runs; undefined while it is unknown. */
  readonly elsewhere: number | undefined;
  /** Notes that this process has asked for a place for one more run. */
  readonly asked: () => void;
}

/** Counts the runs of a process together with those of other processes; `own` gives the number of its own. */
export type CountDetached = (host: Host, own: () => number) => DetachedCount;

/** A question or an order of an operator about durable runs: with `id` about one run, else about all. */
export interface RunsAsked {
  readonly id?: string | undefined;
  readonly order?: string | undefined;
  readonly query: ReadonlyMap<string, string>;
  readonly body: Json;
}

export interface OperatorReply {
  readonly status: number;
  readonly body: JsonObject;
}

/** The body of an order, or the answer when the body cannot be read. */
export interface OrderBody {
  readonly value?: Json;
  readonly refused?: OperatorReply;
}

/** The durable runs of an interface: runtime/durable. */
export interface Durable<Run> {
  /** Hashes of the plan from the first action on, from the second one on, and so on; the last hash covers the end alone. */
  readonly plans: readonly string[];
  /** Begins a durable run, in place of an `Execution`. */
  readonly begin: (run: Run, options: OptionsOf<Run>) => void;
  /** Answers an operator about all durable runs of the store. Rejects when the store does not answer. */
  readonly answer: (host: Host, asked: RunsAsked) => Promise<OperatorReply>;
  /** Reads the body of an order. */
  readonly receive: (message: IncomingMessage, response: ServerResponse) => Promise<OrderBody>;
}
