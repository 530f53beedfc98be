import { type Code, code, list, name, parenthesised } from "../../6-print/code.ts";
import type { Names } from "../../6-print/names.ts";
import type { Jq } from "../parse/tree.ts";
import { constant } from "./constants.ts";

/** The place at which a part of a filter is printed. */
export interface JqPlace {
  /** The input: a name, or an expression that is printed once. */
  readonly input: Code;
  readonly variables: ReadonlyMap<string, Code>;
  /** The names that are used in the code of this filter. */
  readonly names: Names;
  /** Prints a filter that has one output. It is passed in, because filters of each form contain filters of any form. */
  readonly value: (jq: Jq, p: JqPlace) => Code;
}

/** The place with another input, for a filter inside another one. */
export const at = (place: JqPlace, input: Code): JqPlace => ({ ...place, input });

/** A function of runtime/languages/jq, as printed modules call it. */
export const helper = (word: string): Code => code`pw.${name(`jq_${word}`)}`;

/** True when the code reads the variable; texts do not count. */
export function uses(of: Code, variable: Code): boolean {
  const bare = of.replace(/"(?:[^"\\]|\\.)*"/g, "");
  return bare.split(/[^\w$]+/).includes(variable);
}

/** The parameters of a function: unused parameters are left out at the end, and get a `_` elsewhere, as the type checker demands. */
export function parameters(all: readonly Code[], body: Code): Code {
  const last = all.findLastIndex((each) => uses(body, each));
  return list(all.slice(0, last + 1).map((each) => (uses(body, each) ? each : code`_${each}`)));
}

/** `(item) => value`, with a name that describes the input. */
export function arrow(place: JqPlace, hint: string, body: (inner: JqPlace) => Code): Code {
  const input = place.names.fresh(hint);
  const value = body(at(place, input));
  return code`(${parameters([input], value)}) => ${parenthesised(value)}`;
}

/** value` => The code `() => value`. => value` */
export const thunk = (value: Code): Code => code`() => ${parenthesised(value)}`;

/** The code of a call. */
export function call(fn: Code, ...args: readonly Code[]): Code {
  return code`${fn}(${args.reduce((all, arg, i) => (i === 0 ? arg : code`${all}, ${arg}`), code``)})`;
}

/** A name for the result of a filter: the last member of its path. */
export function hintOf(jq: Jq): string {
  const key = jq.kind === "index" ? constant(jq.key) : undefined;
  if (typeof key === "string" && /^[a-z]\w{0,30}$/i.test(key)) return key;
  return jq.kind === "pipe" ? hintOf(jq.right) : "value";
}

/** A name for an element of a list: `user` for `users`. */
export function elementOf(jq: Jq): string {
  const hint = hintOf(jq.kind === "iterate" ? jq.of : jq);
  const [, singular] = /^(\w\w+[^s\W])s$/.exec(hint) ?? [];
  return singular ?? "item";
}
