import type { KeptAct } from "./journal.ts";
import type { Act, Run } from "./run.ts";

/** A run as its actions need it, besides what everybody may ask of it. */
export interface OwnerOfActs extends Run {
  /** An action has ended: `response_on_success` or `response_on_error` may answer at once. */
  readonly answerAtOnce: (act: Act) => void;
  /** An action has settled: what waited for it may go on. */
  readonly settle: (act: Act) => void;
  /** The number of its actions that have settled. */
  readonly turn: number;
  readonly acts: readonly (Act & KeptAct)[];
  /** Actions that were held may start. */
  readonly goOn: () => void;
}
