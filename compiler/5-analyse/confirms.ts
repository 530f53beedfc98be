import type { Expr, Op } from "#runtime/plan/index.ts";
import { isUnset, itemsOf, member } from "./capabilities/member.ts";

/** What calls of tools need that a person confirms: `confirm` of the tools of an agent, where it is not off. */
export const confirmsIn = (op: Op): readonly Expr[] =>
  op.op === "call" && op.use === "agent"
    ? itemsOf(member(op.args, "tools"))
        .map((tool) => member(tool, "confirm"))
        .filter((confirm) => !isUnset(confirm) && !(confirm.op === "lit" && confirm.value === false))
    : [];

/** The interface that tells somebody of a call; unset where nobody is told. */
export const askerIn = (confirm: Expr): Expr => member(confirm, "interface");
