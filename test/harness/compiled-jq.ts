import { compileFunction } from "node:vm";
import { transformSync } from "esbuild";
import { loadJq } from "jq-wasm/inline";
import { type Compiled, compiledOutput, jqReply } from "#runtime/languages/jq/filter.ts";
import * as pw from "#runtime/printed/jq.ts";
import { jqWork } from "#runtime/threads/kinds/jq.ts";
import { Failure } from "#runtime/value/failure.ts";
import type { Json } from "#runtime/value/json.ts";
import { printJq } from "../../compiler/jq/print/index.ts";

/**
 * The result of a filter on some data: the value, jq's text of its error, or `left` when the compiled filter leaves the data to jq itself.
 */
export type JqResult = { readonly value: Json } | { readonly error: string } | "left";

/** The result of a filter, with the outputs before its error. */
export type MadeUntil = JqResult | { readonly error: string; readonly before: readonly Json[] };

/** A filter as it is printed, or why jq itself has to run it. */
export function compiledJq(text: string): ((data: Json) => MadeUntil) | string {
  const printed = printJq(text, 0);
  if ("reason" in printed) return printed.reason;
  const { code } = transformSync(`module.exports = ${printed.code}`, { loader: "ts", target: "node24" });
  const module: { exports: Compiled } = { exports: () => null };
  let before: Json[] = [];
  // Works as the runtime's function, and also keeps the outputs before a failure.
  const outputs: typeof pw.jq_outputs = (filter) =>
    pw.jq_outputs((emit) =>
      filter((value) => {
        before.push(value);
        emit(value);
      }),
    );
  compileFunction(code, ["module", "pw"])(module, { ...pw, jq_outputs: outputs });
  return (data) => {
    before = [];
    try {
      const value = compiledOutput({ text, compiled: module.exports }, data);
      return value === undefined ? "left" : { value };
    } catch (error) {
      return { ...errorOf(error), before };
    }
  };
}

/** The result of jq itself, on data as JSON text. */
export async function realJq(filter: string, input: string): Promise<JqResult> {
  try {
    return { value: jqReply(await jqWork({ filter, input })) };
  } catch (error) {
    return errorOf(error);
  }
}

/**
 * The results of jq for many inputs in one call, because jq spends most of its time on reading the filter. Undefined when jq does not get
 * through all inputs.
 */
export async function realJqEach(filter: string, data: readonly Json[]): Promise<readonly JqResult[] | undefined> {
  const each = `.[] | try [true, [${filter}\n]] catch [false, .]`;
  const all = await realJq(each, JSON.stringify(data));
  const list = all !== "left" && "value" in all && Array.isArray(all.value) ? all.value : [];
  // Several answers of jq arrive as a list, a single one arrives without a list.
  const answers = data.length === 1 ? [list] : list;
  return answers.length === data.length ? answers.map(answerOf) : undefined;
}

function answerOf(answer: Json): JqResult {
  const [isOutput = false, made = null] = Array.isArray(answer) ? answer : [];
  if (!isOutput) return { error: messageOf(made) };
  const outputs = Array.isArray(made) ? made : [];
  return { value: outputs.length > 1 ? outputs : (outputs[0] ?? null) };
}

/** The text of an error value, as jq prints most of them. Where it differs, the test calls jq again for that input alone. */
const messageOf = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value));

/** The outputs of jq before its failure, which the thread of jq does not report. */
export async function realBefore(filter: string, input: string): Promise<readonly Json[]> {
  const jq = await loadJq();
  try {
    return linesOf(jq.raw(input, filter, ["-c"]).stdout);
  } catch {
    return []; // broken: nothing of it can be read
  }
}

const linesOf = (stdout: string): Json[] => stdout.split("\n").flatMap((line) => (line === "" ? [] : [jqReply(line)]));

function errorOf(error: unknown): { readonly error: string } {
  if (error instanceof Failure) return { error: error.message };
  throw error;
}
