import type { Steps } from "../../../run/journal.ts";
import type { Act } from "../../../run/run.ts";
import { Failure } from "../../../value/failure.ts";
import { confirmationOf, type ToolArgs } from "./tool.ts";

/**
 * The steps of an agent: in a durable run each step is stored when it is done. Tools with a confirmation need a store that outlives the
 * process. That is checked before the first step, which may cost money.
 */
export function stepsOf(act: Act, tools: readonly ToolArgs[]): Steps {
  const { journal } = act.run;
  if (journal?.isLasting !== true && tools.some((tool) => confirmationOf(tool) !== undefined)) throw needsStore();
  return journal?.steps(act) ?? plain;
}

const needsStore = (): Failure => new Failure("evaluation", "confirm needs a durable run store");

const plain: Steps = {
  once: (_, work) => work(),
  ask: () => Promise.reject(needsStore()),
};
