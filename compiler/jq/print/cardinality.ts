import type { Jq } from "../parse/tree.ts";
import { constant } from "./constants.ts";

/** Functions with exactly one output for one output of each of their arguments. */
export const functions: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ...["length/0", "keys/0", "keys_unsorted/0", "add/0", "any/0", "all/0", "not/0", "type/0", "to_entries/0", "from_entries/0", "sort/0"],
    ...["unique/0", "min/0", "max/0", "reverse/0", "flatten/0", "flatten/1", "tostring/0", "tonumber/0", "tojson/0", "fromjson/0", "abs/0"],
    ...["ascii_downcase/0", "ascii_upcase/0", "trim/0", "ltrim/0", "rtrim/0", "floor/0", "ceil/0", "round/0", "sqrt/0"],
    ...["has/1", "join/1", "split/1", "startswith/1", "endswith/1", "ltrimstr/1", "rtrimstr/1"],
  ].map((key) => [key, key.split("/")[0] ?? ""]),
);

/** Functions that call a filter on each element: their filter must have one output. */
export const overElements: ReadonlySet<string> = new Set(
  "map sort_by group_by unique_by min_by max_by any all map_values with_entries".split(" ").map((name) => `${name}/1`),
);

export const keyOf = ({ name, args }: Extract<Jq, { kind: "call" }>): string => `${name}/${args.length}`;

/** True when the filter has exactly one output for every input, or fails. */
export function isSingle(jq: Jq): boolean {
  switch (jq.kind) {
    case "identity":
    case "literal":
    case "variable":
    case "format":
    case "list":
      return true;
    case "string":
      return jq.parts.every((part) => typeof part === "string" || isSingle(part));
    case "index":
      return !jq.optional && isSingle(jq.of) && isSingle(jq.key);
    case "slice":
      return !jq.optional && isSingle(jq.of) && [jq.from, jq.to].every((bound) => bound === undefined || isSingle(bound));
    case "object":
      return jq.entries.every(({ key, value }) => isSingle(key) && isSingle(value));
    case "binary":
      return (jq.operator === "//" ? isSingleOrNone(jq.left) : isSingle(jq.left)) && isSingle(jq.right);
    case "pipe":
      return isSingle(jq.left) && isSingle(jq.right);
    case "assign":
      return isSingle(jq.right);
    case "negate":
      return isSingle(jq.of);
    case "if":
      return isSingle(jq.test) && isSingle(jq.yes) && (jq.no === undefined || isSingle(jq.no));
    case "try":
      return jq.handler !== undefined && isSingle(jq.body) && isSingle(jq.handler);
    case "reduce":
      return isSingle(jq.initial);
    case "bind":
      return isSingle(jq.source) && isSingle(jq.body);
    case "call":
      return isSingleCall(jq);
    case "recurse":
    case "iterate":
    case "comma":
    case "foreach":
    case "define":
    case "label":
      return false;
  }
}

/** True when the filter has one output or none. On the left of `//`, no output is the same as null. */
function isSingleOrNone(jq: Jq): boolean {
  if (jq.kind === "try" && jq.handler === undefined) return isSingle(jq.body);
  if (jq.kind === "index" && jq.optional) return isSingleOrNone(jq.of) && isKnown(jq.key);
  return firstOf(jq) !== undefined || isSingle(jq);
}

/** True for a key that does not depend on the input and is known before any step, because jq evaluates the key first. */
export const isKnown = (key: Jq): boolean => constant(key) !== undefined || key.kind === "variable";

/** The filter of `first(f)`. */
export const firstOf = (jq: Jq): Jq | undefined => (jq.kind === "call" && keyOf(jq) === "first/1" ? jq.args[0] : undefined);

function isSingleCall(call: Extract<Jq, { kind: "call" }>): boolean {
  const key = keyOf(call);
  if (Object.hasOwn(functions, key)) return call.args.every(isSingle);
  return overElements.has(key) || ["first/0", "last/0", "error/0", "any/2", "all/2", "del/1", "add/1"].includes(key) || key === "error/1";
}

/** True when the filter cannot fail. */
export function isSure(jq: Jq): boolean {
  switch (jq.kind) {
    case "identity":
    case "literal":
    case "variable":
      return true;
    case "string":
      return jq.parts.every((part) => typeof part === "string");
    case "list":
      return jq.items === undefined || isSure(jq.items);
    case "comma":
    case "pipe":
      return isSure(jq.left) && isSure(jq.right);
    case "binary":
      return /^(?:[=!<>]=?|and|or)$/.test(jq.operator) && isSure(jq.left) && isSure(jq.right);
    case "call":
      return ["not", "type", "empty"].includes(jq.name) && jq.args.length === 0;
    default:
      return constant(jq) !== undefined;
  }
}

/** True when the filter reads its input exactly once and first, so that the input may be printed as an expression. */
export function isHeaded(jq: Jq): boolean {
  switch (jq.kind) {
    case "identity":
    case "format":
      return true;
    case "index":
      return isHeaded(jq.of) && constant(jq.key) !== undefined;
    case "slice":
      return isHeaded(jq.of) && [jq.from, jq.to].every((bound) => bound === undefined || constant(bound) !== undefined);
    case "iterate":
    case "negate":
      return isHeaded(jq.of);
    case "pipe":
      return isHeaded(jq.left);
    case "binary":
      return isHeaded(jq.left) && isKnown(jq.right);
    case "call":
      return isHeadedCall(jq);
    default:
      return false;
  }
}

function isHeadedCall(call: Extract<Jq, { kind: "call" }>): boolean {
  const key = keyOf(call);
  if (overElements.has(key) || key === "first/0" || key === "last/0") return true;
  return Object.hasOwn(functions, key) && call.args.every((arg) => constant(arg) !== undefined);
}
