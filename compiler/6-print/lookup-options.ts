import type { LookupPlan } from "#runtime/plan/index.ts";
import { block as brackets, type Code, code, deeper, list, lit } from "./code.ts";
import { expr } from "./exprs.ts";
import type { ActionPlace } from "./place.ts";
import { settingOf } from "./start.ts";

/** Prints the options of a loop; none if it has no options. */
export function lookupOptions({ partition, concurrency, inherit, inherit_jq, item_timeout }: LookupPlan, p: ActionPlace): Code[] {
  const options: Code[] = [];
  if (partition) options.push(code`partition: true`);
  if (concurrency !== undefined)
    options.push(code`concurrency: ${typeof concurrency === "number" ? lit(concurrency) : settingOf(concurrency, p.imports)}`);
  if (inherit !== undefined) options.push(code`inherit: ${expr(inherit, p)}`);
  if (inherit_jq !== undefined) options.push(code`inherit_jq: ${expr(inherit_jq, p)}`);
  if (item_timeout !== undefined) options.push(code`item_timeout: ${expr(item_timeout, p)}`);
  if (options.length === 0) return [];
  const further = options.map((option) => deeper(option, "  "));
  return [options.some((option) => option.includes("\n")) ? brackets("{", further, "}", p.indent) : code`{ ${list(options)} }`];
}
