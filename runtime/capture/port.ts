import type { Address } from "../outgoing/address.ts";
import type { Host } from "../process/host.ts";
import type { Failure } from "../value/failure.ts";
import type { Json, JsonObject } from "../value/json.ts";
import type { History } from "./recording.ts";

/** How a run has ended, where it did not end by itself. */
export type Ending = "aborted";

/** `capture` of an interface: records its runs. The port names no run or config of its own, so that interfaces can hold it. */
export interface Capture<Run, Config, Interface, Exchanges> {
  readonly mode: "errors" | "all";
  readonly for_minutes?: number;
  readonly for_runs?: number;
  /** Called when the service begins to serve the interface: a window begins, if it has not begun before. */
  readonly start: (host: Host, config: Config, target: Interface) => void;
  /** Called when a run begins: gives what hears what it asks of the outside. Undefined where no run is recorded any more. */
  readonly listen: (host: Host, config: Config, target: Interface) => Exchanges | undefined;
  /** Called when a run has ended with this status. A run is recorded once. */
  readonly note: (run: Run, status: number, ending?: Ending) => void;
  /** True as long as runs of this interface are recorded in this process. */
  readonly isOpen: (host: Host, config: Config, target: Interface) => boolean;
  /** Where the runs of this process are kept. */
  readonly history: (host: Host) => History;
}

/** Hears what a run asks of services, databases, commands and its state, and what comes of it. */
export interface Exchanges<Act, Run> {
  readonly called: (
    act: Act,
    call: { readonly method: string; readonly url: Address },
    result: Failure | { readonly status: number; readonly headers: JsonObject; readonly bytes: Buffer },
  ) => void;
  /** The body of an answer has been read: its bytes without encoding, and what they mean. */
  readonly read: (act: Act, answer: { readonly headers: JsonObject; readonly bytes: Buffer }, plain: Buffer, body: Json) => void;
  readonly asked: (act: Act, database: string, query: string, params: readonly Json[] | undefined, rows: Json | Error) => void;
  /** A command has begun: the line is that of `lineOf`. */
  readonly started: (act: Act, line: string, ended: Promise<CommandEnd>) => void;
  /** The durable state for an action, or for what a run reads beside its actions: what is found there is noted. */
  readonly state: <Store>(run: Run, act: Act | undefined, store: Store) => Store;
}

/** How a command has ended. */
export interface CommandEnd {
  readonly code: number | null;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
}
