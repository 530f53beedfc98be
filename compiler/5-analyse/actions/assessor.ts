import { assessors } from "#generated/assessors.ts";
import type { Expr, Op } from "#runtime/plan/index.ts";
import type { RuntimePart } from "../analysed.ts";

/** Facts about one call of an action that its arguments decide. An absent fact does not hold. */
export interface CallFacts {
  /** Parts of the runtime that the call cannot do without. */
  readonly parts?: readonly RuntimePart[];
  /** The call keeps something in the durable state. */
  readonly remembers?: boolean;
  /** The call fails when another run has written the same value of the state meanwhile. */
  readonly collides?: boolean;
  /** The call waits until a person or another service answers. */
  readonly waits?: boolean;
  /** The call runs an interface that asks a person for the answer. */
  readonly tells?: boolean;
  /** The run may leave its process during the call, and go on in another one. */
  readonly leaves?: boolean;
}

/** Finds the facts about a call in its arguments: an export of `5-analyse/actions/<action>.ts`, for actions that have such facts. */
export type Assessor = (args: Expr) => CallFacts;

/** The facts about a step. A step that is no call has none. */
export const factsOf = (op: Op): CallFacts =>
  op.op === "call" && Object.hasOwn(assessors, op.use) ? (assessors[op.use]?.(op.args) ?? {}) : {};
