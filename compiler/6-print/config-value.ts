import type { Expr } from "#runtime/plan/index.ts";
import { mentions } from "../4-plan/markers/mentions.ts";
import { type Code, code } from "./code.ts";
import { type ExprPlace, expr } from "./exprs.ts";
import type { Imports } from "./imports.ts";

/** Prints a function of the run that gives a value of the config. */
export function configValue(e: Expr, { imports }: { readonly imports: Imports }, indent = ""): Code {
  const place: ExprPlace = { imports, act: unknownAction, data: code`null`, now: () => code`cx.host.now()`, indent };
  const value = expr(e, place);
  const parameters = mentions(e, "root") || mentions(e, "jq") ? code`(cx)` : code`()`;
  return value.startsWith("{") ? code`${parameters} => (${value})` : code`${parameters} => ${value}`;
}

/** Outside of an interface there are no actions. */
export function unknownAction(name: string): never {
  throw new Error(`action ${name} outside its interface`);
}
