import type { Address } from "../outgoing/address.ts";
import type { Host } from "../process/host.ts";
import type { Failure } from "../value/failure.ts";
import type { Json, JsonObject } from "../value/json.ts";
import type { History } from "./recording.ts";

/** The reason why a run has not ended by itself. */
export type Ending = "aborted";

/** `capture` of an interface: records its runs. The port does not name the types of runs and configs, so that `Interface` can use it. */
export interface Capture<Run, Config, Interface, Exchanges> {
  readonly mode: "errors" | "all";
  readonly for_minutes?: number;
  readonly for_runs?: number;
  /** Called when the service begins to serve the interface: a window begins, if it has not begun before. */
  readonly start: (host: Host, config: Config, target: Interface) => void;
  /** Called when a run begins: gives the part that notes its exchanges with the outside. Undefined when runs are not recorded any more. */
  readonly listen: (host: Host, config: Config, target: Interface) => Exchanges | undefined;
  /** Called when a run has ended with this status. A run is recorded once. */
  readonly note: (run: Run, status: number, ending?: Ending) => void;
  /** True while runs of this interface are recorded in this process. */
  readonly isOpen: (host: Host, config: Config, target: Interface) => boolean;
  /** The history in which this process keeps its runs. */
  readonly history: (host: Host) => History;
}

/** Notes what a run asks of services, databases, commands and its state, and the answers. */
export interface Exchanges<Act, Run> {
  readonly called: (
    act: Act,
    call: { readonly method: string; readonly url: Address },
    result: Failure | { readonly status: number; readonly headers: JsonObject; readonly bytes: Buffer },
  ) => void;
  /** The body of an answer has been read: its bytes without encoding, and what they mean. */
  readonly read: (act: Act, answer: { readonly headers: JsonObject; readonly bytes: Buffer }, plain: Buffer, body: Json) => void;
  readonly asked: (act: Act, database: string, query: string, params: readonly Json[] | undefined, rows: Json | Error) => void;
  /** Notes that a command has begun; `line` is the text of `lineOf`. */
  readonly started: (act: Act, line: string, ended: Promise<CommandEnd>) => void;
  /** The durable state for an action, or for values that a run reads outside of its actions; its answers are noted. */
  readonly state: <Store>(run: Run, act: Act | undefined, store: Store) => Store;
}

/** The end of a command. */
export interface CommandEnd {
  readonly code: number | null;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
}
