import { Failure, type FailureKind, Reject } from "../value/failure.ts";
import { stackOf } from "../value/thrown.ts";
import { limitReason } from "../value/too-large.ts";
import { placeOfAction } from "./action-place.ts";
import { cancelled } from "./cancellation.ts";
import type { Act } from "./run.ts";

/** An action on which a bug can be noted. */
interface FailingAct extends Omit<Act, "broken"> {
  broken: boolean;
}

/**
 * Turns a thrown value into the failure of its action. A dynamic argument that stage 1 refuses fails the action with the text that the
 * compiler would have reported (spec/transforms 2.2).
 */
export function failureOf(act: FailingAct, thrown: unknown, kind: FailureKind): Failure {
  if (thrown instanceof Failure) return thrown;
  if (thrown instanceof Reject) return new Failure(kind, thrown.message);
  if (act.cancellation.isReason(thrown)) return cancelled();
  const limit = limitReason(thrown);
  return limit === undefined ? unexpected(act, thrown) : new Failure(kind, limit);
}

/**
 * The failure for an error that no feature meant to throw, which is a bug of ours or of a library: the process lives, the log has the
 * stack, the caller gets no detail.
 */
function unexpected(act: FailingAct, thrown: unknown): Failure {
  act.broken = true;
  act.run.host.log("critical", "unexpected error in an action", { ...act.place, ...placeOfAction(act), stack: stackOf(thrown) });
  return new Failure("evaluation", "action failed", { cause: thrown });
}
