import type { Outcome } from "../run/journal.ts";
import { isOfStep, isOfToken } from "../store/run-paths.ts";
import type { Checkpoint } from "../store/runs.ts";
import type { TakenRun } from "./keeper-parts.ts";
import { readOutcome } from "./outcome.ts";

/** The parts of a run that its checkpoints hold. Throws when another program has written the checkpoints. */
export function keptParts(checkpoints: readonly Checkpoint[]): Pick<TakenRun, "outcomes" | "steps" | "arrived"> {
  const outcomes = new Map<string, Outcome>();
  const [arrived, steps] = [new Map<string, string>(), new Map<string, string>()];
  for (const { path, output } of checkpoints) {
    if (isOfToken(path)) arrived.set(path, output);
    else if (!isOfStep(path)) outcomes.set(path, readOutcome(output));
    // An empty output marks a wait that was closed.
    else if (output !== "") steps.set(path, output);
  }
  return { outcomes, steps, arrived };
}
