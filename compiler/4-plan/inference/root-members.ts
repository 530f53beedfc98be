import { parseJq } from "../../jq/parse/parse.ts";
import { NotRead } from "../../jq/parse/tokens.ts";
import type { Jq } from "../../jq/parse/tree.ts";

/** The members of its input that a filter names: `O` and `P` of `.O.id + (.P | length)`. Empty when our parser cannot read the filter. */
export function rootMembers(filter: string): readonly string[] {
  try {
    return [...new Set(membersIn(parseJq(filter)))];
  } catch (error) {
    if (error instanceof NotRead) return [];
    throw error;
  }
}

/** Functions whose arguments are evaluated on the input of the filter itself. */
const onInput: ReadonlySet<string> = new Set(["select", "first", "last", "isempty", "error", "path"]);

/** The members that a part of a filter names. Only parts that get the input of the whole filter are looked at. */
function membersIn(jq: Jq): readonly string[] {
  const inAll = (...parts: readonly (Jq | undefined)[]): readonly string[] =>
    parts.flatMap((part) => (part === undefined ? [] : membersIn(part)));
  switch (jq.kind) {
    case "index":
      return [...(jq.of.kind === "identity" ? literalText(jq.key) : []), ...inAll(jq.of, jq.key)];
    case "slice":
      return inAll(jq.of, jq.from, jq.to);
    case "iterate":
    case "negate":
      return inAll(jq.of);
    case "string":
      return inAll(...jq.parts.filter((part) => typeof part !== "string"));
    case "list":
      return inAll(jq.items);
    case "object":
      return inAll(...jq.entries.flatMap(({ key, value }) => [key, value]));
    case "pipe":
      return jq.left.kind === "identity" ? inAll(jq.right) : inAll(jq.left);
    case "comma":
    case "binary":
    case "assign":
      return inAll(jq.left, jq.right);
    case "if":
      return inAll(jq.test, jq.yes, jq.no);
    case "try":
      return inAll(jq.body);
    case "reduce":
    case "foreach":
      return inAll(jq.source, jq.initial);
    case "bind":
      return inAll(jq.source, jq.body);
    case "call":
      return onInput.has(jq.name) ? inAll(...jq.args) : [];
    case "define":
      return inAll(jq.rest);
    case "identity":
    case "recurse":
    case "literal":
    case "format":
    case "variable":
    case "label":
      return [];
  }
}

function literalText(key: Jq): readonly string[] {
  const [only, ...more] = key.kind === "string" && key.format === undefined ? key.parts : [];
  return typeof only === "string" && more.length === 0 ? [only] : [];
}
