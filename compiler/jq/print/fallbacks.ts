import type { ConfigPlan, Expr, Span } from "#runtime/plan/index.ts";
import { isLiteral } from "../../4-plan/markers/mentions.ts";
import { type ArgumentPlace, argumentAt, type FilterExpr, filterArgument } from "./argument.ts";
import { printJq } from "./index.ts";

/** A filter that is not printed: jq itself runs it every time. */
export interface Fallback {
  readonly reason: string;
  readonly at: Span;
}

/**
 * The filters of a config that fall back, in any order. Interfaces with `disable_fastpath` are left out, since they always use jq.
 * `placeOf` gives the place of the filter in a transform.
 */
export function jqFallbacks(
  { variables, databases, interfaces }: ConfigPlan,
  placeOf: (transform: string) => ArgumentPlace | undefined,
): readonly Fallback[] {
  const fallbacks: Fallback[] = [];
  const look = ({ text, values }: FilterExpr, at: Span | undefined): void => {
    const printed = text.op === "lit" ? printJq(String(text.value), values) : { reason: "a raw marker" };
    if ("reason" in printed && at !== undefined) fallbacks.push({ reason: printed.reason, at });
  };
  const walk = (part: unknown): void => {
    if (typeof part !== "object" || part === null || isLiteral(part)) return;
    const node = part as Node; // a plan is made of expressions, ops and records of them
    if (node.op === "jq" && node.filter !== undefined) look({ text: node.filter, values: node.values?.length ?? 0 }, node.at);
    const place = node.op === "transform" ? placeOf(node.use ?? "") : undefined;
    const filter = place === undefined || node.args === undefined ? undefined : argumentAt(node.args, place);
    if (filter !== undefined && !(filter.op === "lit" && filter.value === null)) look(filterArgument(filter), node.at);
    Object.values(part).forEach(walk);
  };
  walk([variables, databases, interfaces.filter(({ disable_fastpath }) => !disable_fastpath)]);
  return fallbacks;
}

/** A node of a plan, for the search for filters. */
interface Node {
  readonly op?: string;
  readonly use?: string;
  readonly filter?: Expr;
  readonly values?: readonly Expr[];
  readonly args?: Expr;
  readonly at?: Span;
}
