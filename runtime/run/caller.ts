import type { IncomingMessage, ServerResponse } from "node:http";
import type { Host } from "../process/host.ts";
import type { Json, JsonObject } from "../value/json.ts";
import type { Refusal } from "./refusals.ts";
import type { Reply } from "./response.ts";

/** The side of a trigger: it is told, at most once, how its run has ended. */
export interface Asker {
  /** Sends the reply of the run, or the 202 of a run that goes on without its caller. Gives the status that was sent. */
  readonly answer: (reply: Reply) => number;
  /** Sends an answer that the run has not given: its time is over, too many runs go on, or there was a bug. */
  readonly refuse: (refusal: Refusal) => void;
  /** Called when nobody was left to be answered. */
  readonly gone?: () => void;
  /** The run has begun to wait; `abandon` is to be called when the caller goes away. */
  readonly waits?: (abandon: () => void) => void;
}

/** Keeps a shutdown waiting for runs. */
export interface FollowerOf<Run> {
  /** Calls back when the run is over. The result takes that back. */
  readonly follow: (run: Run, done: () => void) => () => void;
}

/** Says how a trigger wants its run to be done. It names no run of its own, so that interfaces can name it. */
export interface OptionsOf<Run> {
  readonly asker: Asker;
  /** Absent: the runs in the background of the process. */
  readonly follower?: FollowerOf<Run>;
  /** True when this trigger allows `respond: early`. */
  readonly mayBeEarly?: boolean;
  /** False when the run has no time limit. */
  readonly hasDeadline?: boolean;
  /** Called instead of logging the run and starting the handler of its failure. */
  readonly conclude?: (status: number) => void;
  /** Called when a durable run is in its store: it goes on from then on, whatever becomes of the process. */
  readonly stored?: () => void;
  /** Called when a durable run has left this process and goes on elsewhere or later: this process concludes nothing. */
  readonly left?: () => void;
}

/** Runs of other processes that go on without their callers. */
export interface DetachedCount {
  /** How many there are; undefined while that is not known. */
  readonly elsewhere: number | undefined;
  /** This process wants to begin one more. */
  readonly asked: () => void;
}

/** Counts the runs of a process together with those of others; `own` says how many it has. */
export type CountDetached = (host: Host, own: () => number) => DetachedCount;

/** A question of an operator about durable runs, or an order: about one of them where there is an id. */
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

/** The body of an order, or the answer to one that cannot be read. */
export interface OrderBody {
  readonly value?: Json;
  readonly refused?: OperatorReply;
}

/** Durable runs of an interface: runtime/durable. */
export interface Durable<Run> {
  /** Hashes of the plan from the first action on, from the second one on, and so on; the last one is that of the end alone. */
  readonly plans: readonly string[];
  /** Begins a run in place of an `Execution`. */
  readonly begin: (run: Run, options: OptionsOf<Run>) => void;
  /** Answers an operator about all durable runs of the store. Rejects when that does not answer. */
  readonly answer: (host: Host, asked: RunsAsked) => Promise<OperatorReply>;
  /** Reads the body of an order. */
  readonly receive: (message: IncomingMessage, response: ServerResponse) => Promise<OrderBody>;
}
