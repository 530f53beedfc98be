import type { KeptAct } from "./journal.ts";
import type { Act, Run } from "./run.ts";

/** A run as its own actions use it, beyond the members that all code may use. */
export interface OwnerOfActs extends Run {
  /** Notes that an action has ended: its `response_on_success` or `response_on_error` may answer at once. */
  readonly answerAtOnce: (act: Act) => void;
  /** Notes that an action has settled, and starts actions that waited for it. */
  readonly settle: (act: Act) => void;
  /** The number of its actions that have settled. */
  readonly turn: number;
  readonly acts: readonly (Act & KeptAct)[];
  /** Starts actions that were held, if they may start. */
  readonly goOn: () => void;
}
