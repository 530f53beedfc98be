import { type Code, code, list, name, parenthesised } from "../../6-print/code.ts";
import type { Names } from "../../6-print/names.ts";
import type { Jq } from "../parse/tree.ts";
import { constant } from "./constants.ts";

/** Where a part of a filter is printed. */
export interface JqPlace {
  /** The input: a name, or an expression that is printed once. */
  readonly input: Code;
  readonly variables: ReadonlyMap<string, Code>;
  /** Chooses names of this filter. */
  readonly names: Names;
  /** Prints a filter that has one output. Forms of filters hold filters of any form, so the printer of all of them is handed in. */
  readonly value: (jq: Jq, p: JqPlace) => Code;
}

/** A filter that is printed in the arms of another one has its own input. */
export const at = (place: JqPlace, input: Code): JqPlace => ({ ...place, input });

/** A function of runtime/languages/jq, as printed modules call it. */
export const helper = (word: string): Code => code`pw.${name(`jq_${word}`)}`;

/** True when the code reads the variable; what stands in texts does not count. */
export function uses(of: Code, variable: Code): boolean {
  const bare = of.replace(/"(?:[^"\\]|\\.)*"/g, "");
  return bare.split(/[^\w$]+/).includes(variable);
}

/**
 * The parameters of a function: those that it does not read are left out at the end, and marked elsewhere, as the type checker wants it.
 */
export function parameters(all: readonly Code[], body: Code): Code {
  const last = all.findLastIndex((each) => uses(body, each));
  return list(all.slice(0, last + 1).map((each) => (uses(body, each) ? each : code`_${each}`)));
}

/** `(item) => value`, with a name that tells what the input is. */
export function arrow(place: JqPlace, hint: string, body: (inner: JqPlace) => Code): Code {
  const input = place.names.fresh(hint);
  const value = body(at(place, input));
  return code`(${parameters([input], value)}) => ${parenthesised(value)}`;
}

/** `() => value` */
export const thunk = (value: Code): Code => code`() => ${parenthesised(value)}`;

/** A call; arguments of several lines each have lines of their own. */
export function call(fn: Code, ...args: readonly Code[]): Code {
  return code`${fn}(${args.reduce((all, arg, i) => (i === 0 ? arg : code`${all}, ${arg}`), code``)})`;
}

/** A name for what a filter gives: the member it ends with. */
export function hintOf(jq: Jq): string {
  const key = jq.kind === "index" ? constant(jq.key) : undefined;
  if (typeof key === "string" && /^[a-z]\w{0,30}$/i.test(key)) return key;
  return jq.kind === "pipe" ? hintOf(jq.right) : "value";
}

/** A name for one of several: `users` has a `user`. */
export function elementOf(jq: Jq): string {
  const hint = hintOf(jq.kind === "iterate" ? jq.of : jq);
  const [, singular] = /^(\w\w+[^s\W])s$/.exec(hint) ?? [];
  return singular ?? "item";
}
