import { type Code, code, name, parenthesised } from "../../6-print/code.ts";
import { Names } from "../../6-print/names.ts";
import { parseJq } from "../parse/parse.ts";
import { NotRead } from "../parse/tokens.ts";
import { isSingle } from "./cardinality.ts";
import { Falls } from "./constants.ts";
import { helper, type JqPlace, parameters } from "./place.ts";
import { emitted } from "./streams.ts";
import { value } from "./values.ts";

/** A filter as TypeScript, or the reason why jq itself has to run it, with the place in its text. */
export type Printed = { readonly code: Code } | { readonly reason: string; readonly start: number };

/**
 * Prints `(data) => …`, or `(data, $__0) => …` when values are bound to the filter. It calls the functions of runtime/languages/jq as
 * `pw.jq_NAME`.
 */
export function printJq(text: string, values: number): Printed {
  const names = new Names(["data", "pw"]);
  const bound = Array.from({ length: values }, (_, i) => `__${i}`);
  const variables = new Map(bound.map((variable) => [variable, names.fresh(`$${variable}`)] as const));
  const place: JqPlace = { input: name("data"), variables, names, value };
  try {
    const jq = parseJq(text);
    const body = isSingle(jq) ? value(jq, place) : code`${helper("outputs")}(${emitted(jq, place)})`;
    const head = parameters([place.input, ...variables.values()], body);
    return { code: code`(${head}) => ${parenthesised(body)}` };
  } catch (thrown) {
    if (thrown instanceof Falls || thrown instanceof NotRead) return { reason: thrown.message, start: thrown.start };
    throw thrown;
  }
}
