import { isTooDeep } from "../../value/depth.ts";
import { Failure } from "../../value/failure.ts";
import type { Json } from "../../value/json.ts";
import { messageOf } from "./dump.ts";
import { longestOutput } from "./longest-output.ts";
import { bail, JqError, start } from "./signals.ts";
import { disguised } from "./surrogates.ts";

/** A filter as the compiler has printed it. */
export type Compiled = (data: Json, ...values: readonly Json[]) => Json;

/** A jq filter: its text, and the values that the text calls `$__0`, `$__1`, … (spec/language 2.8 H). */
export interface JqFilter {
  readonly text: string;
  readonly values?: readonly Json[];
  /** Absent where jq itself has to run it. */
  readonly compiled?: Compiled;
  /** A value, or the data, is a secret: an error does not show jq's text, which may contain it. */
  readonly secret?: boolean;
}

/** The output of the compiled form; undefined when there is none, or when it leaves the data to jq. Throws `Failure` with jq's text. */
export function compiledOutput({ compiled, values = [] }: JqFilter, data: Json): Json | undefined {
  if (compiled === undefined) return undefined;
  start();
  try {
    const output = compiled(data, ...values);
    // Leaves an output to jq that has more levels than jq's stack allows, or that is longer than this process may read from jq's thread.
    return isTooDeep(output) || isTooLong(output) ? undefined : output;
  } catch (error) {
    return settled(error);
  }
}

/** True when jq's thread would refuse to hand over the output. Only a large output is measured. */
const isTooLong = (output: Json): boolean => mayExceed(output, longestOutput) && JSON.stringify(output).length > longestOutput;

/** False only when the JSON text of the value surely has at most `length` characters. */
function mayExceed(value: Json, length: number): boolean {
  let left = length;
  const takes = (part: Json): boolean => {
    left -= typeof part === "string" ? part.length * escaped : longestNumber;
    if (left < 0) return true;
    if (typeof part !== "object" || part === null) return false;
    if (Array.isArray(part)) return part.some(takes);
    for (const key in part) if (takes(key) || takes(part[key] ?? null)) return true;
    return false;
  };
  return takes(value);
}

/** Characters that one character of a text may take in JSON, and those of the longest number with its comma. */
const escaped = 6;
const longestNumber = 26;

function settled(error: unknown): undefined {
  // A text that is too long for JavaScript, or a value that is too deep for its stack, is left to jq.
  if (error === bail || error instanceof RangeError) return undefined;
  if (!(error instanceof JqError)) throw error;
  const message = text(error.value);
  // jq would write these messages differently: it ends a message at a NUL, drops blanks at the end, and has no half of a surrogate pair.
  if (message === undefined || message.includes("\0") || message.trimEnd() !== message || !message.isWellFormed()) return undefined;
  throw new Failure("transform", message);
}

/** The message of an error; undefined when it contains a value that only jq itself writes correctly. */
function text(value: Json): string | undefined {
  try {
    return messageOf(value);
  } catch (error) {
    if (error === bail) return undefined;
    throw error;
  }
}

/** The request to jq itself, and how its answer is read. */
export interface Question {
  readonly request: { readonly filter: string; readonly input: string };
  readonly reply: (stdout: string) => Json;
}

/**
 * Makes the request to jq. Values are bound to variables, never written into the filter. The filter has a line break behind it, since it
 * may end in a comment.
 */
export function jqQuestion({ text, values = [] }: JqFilter, data: Json): Question {
  const { json, restored } = disguised(JSON.stringify(values.length === 0 ? data : [data, ...values]), text);
  const bound = values.map((_, i) => `.[${i + 1}] as $__${i} | `).join("");
  const filter = values.length === 0 ? text : `${bound}.[0] | (${text}\n)`;
  return { request: { filter, input: json }, reply: (stdout) => jqReply(restored(stdout)) };
}

/** Reads the output of jq: null for none, the value for one, else the list. */
export function jqReply(stdout: string): Json {
  const values = stdout.split("\n").flatMap((line) => (line === "" ? [] : [written(line)]));
  return values.length > 1 ? values : (values[0] ?? null);
}

/**
 * The value of an output line. jq writes numbers beyond a double with all digits; they become the largest double, which is also the number
 * that jq itself computes with.
 */
function written(line: string): Json {
  // Each line that jq writes is JSON.
  if (!/E\+\d{3}/.test(line)) return JSON.parse(line) as Json;
  return JSON.parse(line, (_, value: Json) => (typeof value === "number" ? finite(value) : value)) as Json;
}

const finite = (value: number): number => Math.min(Math.max(value, -Number.MAX_VALUE), Number.MAX_VALUE);
