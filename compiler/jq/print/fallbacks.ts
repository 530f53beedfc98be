import type { ConfigPlan, Span } from "#runtime/plan/index.ts";
import { isExpr, isOp, partsOf } from "../../4-plan/markers/mentions.ts";
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
    if (isExpr(part, "jq")) look({ text: part.filter, values: part.values.length }, part.at);
    if (isOp(part, "transform")) {
      const place = placeOf(part.use);
      const filter = place === undefined ? undefined : argumentAt(part.args, place);
      if (filter !== undefined && !(filter.op === "lit" && filter.value === null)) look(filterArgument(filter), part.at);
    }
    partsOf(part).forEach(walk);
  };
  walk([variables, databases, interfaces.filter(({ disable_fastpath }) => !disable_fastpath)]);
  return fallbacks;
}
