import type { Host } from "../process/host.ts";
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
  /** Called when a run begins: gives what hears its calls and queries. Undefined where no run is recorded any more. */
  readonly listen: (host: Host, config: Config, target: Interface) => Exchanges | undefined;
  /** Called when a run has ended with this status. A run is recorded once. */
  readonly note: (run: Run, status: number, ending?: Ending) => void;
  /** True as long as runs of this interface are recorded in this process. */
  readonly isOpen: (host: Host, config: Config, target: Interface) => boolean;
  /** Where the runs of this process are kept. */
  readonly history: (host: Host) => History;
}
