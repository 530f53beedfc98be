import { compileFunction } from "node:vm";
import { transformSync } from "esbuild";
import { Failure } from "#runtime/failure.ts";
import { type Compiled, compiledOutput, jqReply } from "#runtime/jq/filter.ts";
import * as jq from "#runtime/jq/index.ts";
import type { Json } from "#runtime/json.ts";
import { jqWork } from "#runtime/workers/jq.ts";
import { printJq } from "../../compiler/5-print/jq/index.ts";

/** What a filter made of some data: the value, jq's text of its error, or that it was left to jq. */
export type Made = { readonly value: Json } | { readonly error: string } | "left";

/** A filter as it is printed, or why jq itself has to run it. */
export function compiledJq(text: string): ((data: Json) => Made) | string {
  const printed = printJq(text, 0);
  if ("reason" in printed) return printed.reason;
  const { code } = transformSync(`module.exports = ${printed.code}`, { loader: "ts", target: "node24" });
  const module: { exports: Compiled } = { exports: () => null };
  compileFunction(code, ["module", "jq"])(module, jq);
  return (data) => {
    try {
      const value = compiledOutput({ text, compiled: module.exports }, data);
      return value === undefined ? "left" : { value };
    } catch (error) {
      return errorOf(error);
    }
  };
}

/** The same by jq itself, on data as JSON text. */
export async function realJq(filter: string, input: string): Promise<Made> {
  try {
    return { value: jqReply(await jqWork({ filter, input })) };
  } catch (error) {
    return errorOf(error);
  }
}

function errorOf(error: unknown): Made {
  if (error instanceof Failure) return { error: error.message };
  throw error;
}
