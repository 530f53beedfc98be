import { type Code, code } from "../../6-print/code.ts";
import type { Jq } from "../parse/tree.ts";
import { isSingle } from "./cardinality.ts";
import { Falls } from "./constants.ts";
import { call, helper, type JqPlace } from "./place.ts";

/** Prints a filter with one output; for any other filter the whole filter falls back to jq. */
export function single(jq: Jq, p: JqPlace): Code {
  if (!isSingle(jq)) throw new Falls("several outputs where one is needed", jq);
  return p.value(jq, p);
}

/** Prints a condition for JavaScript. */
export function test(jq: Jq, p: JqPlace): Code {
  const printed = single(jq, p);
  return isBoolean(jq) ? printed : call(helper("truthy"), printed);
}

/** Prints a condition that is already between parentheses. */
export const condition = (jq: Jq, p: JqPlace): Code =>
  jq.kind === "binary" && (jq.operator === "and" || jq.operator === "or") ? logical(jq, p) : test(jq, p);

/** Prints `and` or `or` of two conditions. */
export function logical({ operator, left, right }: Extract<Jq, { kind: "binary" }>, p: JqPlace): Code {
  return operator === "and" ? code`${test(left, p)} && ${test(right, p)}` : code`${test(left, p)} || ${test(right, p)}`;
}

function isBoolean(jq: Jq): boolean {
  if (jq.kind === "binary") return /^(?:[=!<>]=?|and|or)$/.test(jq.operator);
  return jq.kind === "call" && ["not/0", "any/0", "any/1", "all/0", "all/1"].includes(`${jq.name}/${jq.args.length}`);
}
