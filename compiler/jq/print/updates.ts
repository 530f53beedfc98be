import { type Code, code, lit } from "../../6-print/code.ts";
import type { Jq } from "../parse/tree.ts";
import { isSingle } from "./cardinality.ts";
import { constant, Falls } from "./constants.ts";
import { arrow, call, helper, hintOf, type JqPlace } from "./place.ts";

/** Prints `.a.b = f` and `.a.b |= f` of plain paths. */
export function assignment(jq: Extract<Jq, { kind: "assign" }>, p: JqPlace): Code {
  const path = pathOf(jq.left);
  if (!isSingle(jq.right)) throw new Falls("an assignment of several outputs", jq.right);
  switch (jq.operator) {
    case "":
      return call(helper("assign"), p.input, path, p.value(jq.right, p));
    case "|":
      return call(
        helper("update"),
        p.input,
        path,
        arrow(p, hintOf(jq.left), (inner) => p.value(jq.right, inner)),
      );
    default:
      throw new Falls(`${jq.operator}=`, jq);
  }
}

/** Prints a path of plain keys as `["a", "b", 0]`. */
export function pathOf(jq: Jq): Code {
  const keys: (string | number)[] = [];
  let of = jq;
  while (of.kind === "index" && !of.optional) {
    const key = constant(of.key);
    if (typeof key !== "string" && typeof key !== "number") break;
    keys.unshift(key);
    of = of.of;
  }
  if (of.kind !== "identity" || keys.length === 0) throw new Falls("a path that is not plain", jq);
  return code`${lit(keys)}`;
}
