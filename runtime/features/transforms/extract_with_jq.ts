import { type Compiled, type JqFilter, jqOutput } from "../../languages/jq.ts";
import type { Act } from "../../run/run.ts";
import type { Json } from "../../value/json.ts";
import type { Transform } from "../feature.ts";

/** The filter as text; with markers, `{text, values}`. */
type Args = string | JqFilter;

/**
 * Stage 1 refuses nothing, since the compiler has already asked jq about the filter (PW205). The code that the compiler has printed for the
 * filter runs in place of jq.
 */
export function prepare(args: Args, compiled?: Compiled): JqFilter {
  const filter = typeof args === "string" ? { text: args } : args;
  return compiled === undefined ? filter : { ...filter, compiled };
}

/**
 * Runs a jq 1.8 filter on the data. Several outputs become a list, no output is null. Fails with jq's own message. A marker in the filter
 * is a variable with its value, never a part of the filter's text; inside a string of the filter it is interpolated.
 */
export function extract_with_jq(data: Json, filter: JqFilter, act: Act): Promise<Json> {
  return jqOutput(act.run.host, filter, data, act.signal);
}

export const spec: Transform<Args, JqFilter> = {
  summary: "Return the output of a jq filter.",
  schema: { type: "string", context: "jq", description: "A filter of jq 1.8, such as `.users | map({id, name})`." },
  bounds: "256 MiB, 30 s in the thread, 16,777,216 characters of output",
  effect: "random",
  extracts: true,
  async: true,
  prepare,
  run: extract_with_jq,
};
