import { type Jq, loadJq } from "jq-wasm/inline";
import { longestOutput } from "../../languages/jq/longest-output.ts";
import { Failure } from "../../value/failure.ts";
import { answer } from "../worker-port.ts";

/** A filter and the JSON text on which it runs, or with `check` a text that is only compiled, to see whether it is a filter. */
export type JqRequest = { readonly filter: string; readonly input: string } | { readonly check: string };

/** jq 1.8.2. It is loaded on first use, and loaded again after it broke. */
let loaded: Promise<Jq> | undefined;

/**
 * Runs a filter and gives its output, one JSON text a line. A filter that fails throws a `Failure` with jq's own message; a check throws
 * one that says what is wrong with the filter.
 */
export async function jqWork(request: JqRequest): Promise<string> {
  loaded ??= loadJq();
  const jq = await loaded;
  try {
    if ("filter" in request) return outputs(jq, request.input, request.filter);
    return checked(jq, request.check);
  } catch (error) {
    if (error instanceof Failure) throw error;
    // jq's stack ends before jq's own limits apply. An instance that broke in this way answers no more requests, so the next one loads jq
    // anew.
    loaded = undefined;
    if (isOutOfMemory(error)) throw new Failure("evaluation", "jq: needed more than 256 MiB of memory");
    if (error instanceof RangeError || isOutOfStack(error)) throw new Failure("evaluation", "jq: value is nested too deeply");
    throw error;
  }
}

function outputs(jq: Jq, input: string, filter: string): string {
  // The blank keeps a filter that begins with a minus from being read as an option.
  const { stdout, stderr, exitCode } = jq.raw(input, ` ${filter}`, ["-c"]);
  // The filter does not compile. The compiler has reported all such filters but those with a raw marker, with this same text (PW205).
  if (exitCode === 3) throw new Failure("evaluation", `jq: ${reason(stderr)}`);
  if (exitCode !== 0) throw new Failure("evaluation", stderr === "" ? `halted with status ${exitCode}` : message(stderr));
  if (stdout.length > longestOutput) throw new Failure("evaluation", `jq: the output has more than ${longestOutput} characters`);
  return stdout;
}

/** jq ends itself when it is given no more memory. */
const isOutOfMemory = (thrown: unknown): boolean => /^RuntimeError: Aborted\(/.test(String(thrown));

const isOutOfStack = (thrown: unknown): boolean => /^RuntimeError: memory access out of bounds/.test(String(thrown));

/** Compiles the filter without running it: `empty` gives it no input. */
function checked(jq: Jq, filter: string): string {
  const { stderr, exitCode } = jq.raw("null", `empty | ${filter}`, ["-n"]);
  if (exitCode !== 0) throw new Failure("evaluation", reason(stderr));
  return "";
}

/** The text behind `jq: error (at FILE:LINE): `. Lines that the filter itself has written to stderr come before. */
function message(stderr: string): string {
  const [, text = stderr] = /^jq: error \(at [^)\n]*\)(?: \(not a string\))?: ?(.*)$/ms.exec(stderr) ?? [];
  return text.replace(/\n$/, "");
}

/** The sentence of a compile error without its place, which counts what we have put around the filter. */
function reason(stderr: string): string {
  const [, text = stderr] = /^jq: error: (.*?)(?: at <top-level>, line \d+, column \d+)?:?$/m.exec(stderr) ?? [];
  return text.trim();
}

answer(jqWork);
