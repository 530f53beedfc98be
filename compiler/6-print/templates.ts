import type { Expr, InterfacePlan } from "#runtime/plan/index.ts";
import { type Code, code, type Line, lines, name, parenthesised } from "./code.ts";
import { expr } from "./exprs.ts";
import type { ActionPlace } from "./place.ts";
import { asyncWord, body } from "./tests.ts";

/** Prints the templates of the response. */
export function templates({ response: { headers, custom_body, error_body }, at }: InterfacePlan, p: ActionPlace): Line[] {
  if (headers === undefined && custom_body === undefined && error_body === undefined) return [];
  const inner = { ...p, indent: `${p.indent}  ` };
  const waits = [headers, custom_body?.of, error_body?.of].some((part) => part?.waits);
  const template = (key: string, value: Expr, printed: Code): Line[] =>
    lines(code`  ${name(key)}: ${asyncWord(value)}() => ${printed},`, at);
  return [
    { text: waits ? code`${p.imports.use("asyncRespond")}(cx, {` : code`cx.respond({`, at },
    ...(headers === undefined ? [] : template("headers", headers, parenthesised(expr(headers, inner)))),
    ...(custom_body === undefined ? [] : template("custom_body", custom_body.of, body(custom_body, inner))),
    ...(error_body === undefined ? [] : template("error_body", error_body.of, body(error_body, inner))),
    { text: code`});` },
  ];
}
