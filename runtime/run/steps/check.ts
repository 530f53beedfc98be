import type { MarkerPlace } from "../../plan/index.ts";
import { Failure, Reject } from "../../value/failure.ts";
import { isObject, type Json, type JsonObject, own, put } from "../../value/json.ts";
import type { Detail } from "../../value/show.ts";
import { withOptions } from "../options.ts";
import type { Body, WrittenBody } from "../response.ts";
import type { Act } from "../run.ts";
import type { AssertSpec, FailedTest, TestResult, Verdict } from "../verdict.ts";

export interface TestOptions {
  readonly error_message?: () => string | null;
  readonly http_code_on_error?: number;
  readonly hide_errors?: true;
  readonly http_response?: () => Body;
}

type Verdicts = Readonly<Record<string, Verdict>>;

/** The verdict about a required parameter that is missing, in place of the verdicts of its matchers. */
export const missingParameter: Verdicts = { required: "the parameter is missing" };

/** Runs the matchers of one test, in the order written. */
export function test(label: string, target: Json, matchers: (target: Json) => Verdicts, options?: TestOptions): TestResult {
  return result(label, matchers(target), options);
}

/** Runs a test with a matcher that waits. */
export async function asyncTest(
  label: string,
  target: Json,
  matchers: (target: Json) => Promise<Verdicts>,
  options?: TestOptions,
): Promise<TestResult> {
  return result(label, await matchers(target), options);
}

/** Puts the label and the matcher's name before each detail (spec/language 6.3). */
function result(label: string, verdicts: Verdicts, options: TestOptions | undefined): TestResult {
  let errors: string[] | undefined;
  let members: JsonObject | undefined;
  let code: number | undefined;
  for (const name in verdicts) {
    const verdict = verdicts[name];
    if (verdict === true || verdict === undefined) continue;
    if (typeof verdict === "string" || typeof verdict === "function")
      errors = [...(errors ?? []), `${label}::${name}: ${wordsOf(verdict)}`];
    else if ("found" in verdict) members = { ...members, ...verdict.found };
    else {
      errors = [...(errors ?? []), ...verdict.errors];
      code ??= verdict.code;
    }
  }
  if (errors === undefined) return members === undefined ? null : { found: members };
  const own = options?.error_message?.() ?? null;
  if (own !== null) errors = [own];
  const failed = { errors: options?.hide_errors ? [] : errors, code: options?.http_code_on_error ?? code };
  return options?.http_response === undefined ? failed : { ...failed, reply: textOf(options.http_response()) };
}

/** Writes the body of a failed test as text at once, because durable runs store it. */
const textOf = (body: Body): WrittenBody => ("text" in body ? body : { text: JSON.stringify(body.data), type: body.type });

/** The words of a detail. */
const wordsOf = (detail: string | Detail): string => (typeof detail === "string" ? detail : detail());

/**
 * Runs a matcher whose operand is only known in a run. An unset operand fails: it never counts as equal to null (spec/language 6.3). An
 * operand that stage 1 refuses, such as a bad pattern, fails with the text that the compiler would have reported. `markers` are the places
 * of markers inside a list or map; each of them has to be set, too.
 */
export function withOperand<Operand extends Json, Result extends Verdict | Promise<Verdict>>(
  operand: Operand | null,
  matcher: (operand: Operand) => Result,
  secret = false,
  markers: readonly MarkerPlace[] = [],
): Result | string {
  if (operand === null || markers.some((place) => isUnset(operand, place))) return "expected value is not set";
  try {
    return secret ? withSecretOperand(operand, matcher) : matcher(operand);
  } catch (error) {
    // The reason may quote a part of the operand.
    if (error instanceof Reject) return secret ? "expected value is not valid" : error.message;
    throw error;
  }
}

function isUnset(value: Json | undefined, [step, ...further]: MarkerPlace): boolean {
  if (step === undefined) return value === null;
  if (Array.isArray(value)) return isUnset(value[Number(step)], further);
  if (!isObject(value)) return false;
  return step === null ? Object.values(value).some((member) => isUnset(member, further)) : isUnset(own(value, String(step)), further);
}

/** Runs a matcher whose operand is a secret: its detail shows `***` (spec/language 6.3). Matchers that wait have no detail. */
export function withSecretOperand<Operand extends Json, Result extends Verdict | Promise<Verdict>>(
  operand: Operand,
  matcher: (operand: Operand) => Result,
): Result | string {
  const verdict = matcher(operand);
  return typeof verdict === "function" ? verdict(true) : verdict;
}

/** The result of a test that had to wait, in the form of a test that need not wait. */
export const already = (result: TestResult) => (): TestResult => result;

/** The tests that failed. */
export const failedTests = (results: readonly TestResult[]): FailedTest[] =>
  results.filter((result) => result !== null && "errors" in result);

/** The results of the tests, behind messages and codes if there are some. */
type CheckArguments =
  | readonly [results: readonly TestResult[], none?: undefined]
  | readonly [spec: AssertSpec, results: readonly TestResult[]];

/** Gives the data back, with the values that the tests found, when every test passed; else the action fails and keeps the data. */
export function check(act: Act, data: Json, ...args: CheckArguments): Json {
  const [spec, results] = withOptions(args);
  const failed = failedTests(results);
  if (failed.length > 0) throw new Failure("assert", spec.error_message?.() ?? "", { data, ...outcome(spec, failed) });
  act.message = spec.success_message?.() ?? "success";
  act.okCode = spec.http_code_on_success;
  return isObject(data) ? enriched(data, results) : data;
}

/** Adds the found values. Only an object can take members; a later test wins. */
function enriched(data: JsonObject, results: readonly TestResult[]): JsonObject {
  let out = data;
  for (const result of results) {
    if (result === null || !("found" in result)) continue;
    if (out === data) out = { ...data };
    for (const [key, value] of Object.entries(result.found)) put(out, key, value);
  }
  return out;
}

/** The outcome of an assert that has failed. */
interface Outcome {
  readonly errors: readonly string[];
  readonly status?: number;
  readonly reply?: WrittenBody;
}

/** The body of the first failed test that has one (spec/language 6.4). */
export const replyOf = (failed: readonly FailedTest[]): WrittenBody | undefined => failed.find(({ reply }) => reply !== undefined)?.reply;

/** The outcome of an assert. The first failed test's own status takes precedence over the assert's. */
export function outcome(spec: AssertSpec, failed: readonly FailedTest[]): Outcome {
  const status = failed.find((result) => result.code !== undefined)?.code ?? spec.http_code_on_error;
  const reply = replyOf(failed);
  return {
    errors: failed.flatMap((result) => result.errors),
    ...(status === undefined ? {} : { status }),
    ...(reply === undefined ? {} : { reply }),
  };
}
