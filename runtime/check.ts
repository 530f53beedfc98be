import type { Act } from "./act.ts";
import { Failure, Reject } from "./failure.ts";
import type { Verdict } from "./feature.ts";
import type { Json } from "./json.ts";

/** Null when the test passed; else its entries of the error list and the status it asks for. */
export type TestResult = { readonly errors: readonly string[]; readonly code: number | undefined } | null;

/** What is reported when tests fail or all pass (language.md 6.1). Messages are templates, evaluated only when needed. */
export interface AssertSpec {
  readonly error_message?: () => string;
  readonly success_message?: () => string;
  readonly http_code_on_error?: number;
  readonly http_code_on_success?: number;
}

export interface TestOptions {
  readonly error_message?: () => string;
  readonly http_code_on_error?: number;
  readonly hide_errors?: true;
}

/** Runs the matchers of one test, in the order written. The label and the matcher's name precede each detail (language.md 6.3). */
export function test(
  label: string,
  target: Json,
  matchers: (target: Json) => Readonly<Record<string, Verdict>>,
  options?: TestOptions,
): TestResult {
  let errors: string[] | undefined;
  const verdicts = matchers(target);
  for (const name in verdicts) {
    const verdict = verdicts[name];
    if (typeof verdict !== "string") continue;
    errors ??= [];
    errors.push(`${label}::${name}: ${verdict}`);
  }
  if (errors === undefined) return null;
  if (options?.error_message !== undefined) errors = [options.error_message()];
  return { errors: options?.hide_errors ? [] : errors, code: options?.http_code_on_error };
}

/**
 * The operand of a matcher when it is a marker: unset fails closed, it never compares equal to null (language.md 6.3), and one that stage 1
 * refuses, such as a bad pattern, fails with the text that the compiler would have reported.
 */
export function given<Operand extends Json>(operand: Operand | null, matcher: (operand: Operand) => Verdict): Verdict {
  if (operand === null) return "expected value is not set";
  try {
    return matcher(operand);
  } catch (error) {
    if (error instanceof Reject) return error.message;
    throw error;
  }
}

/** Passes the data on when every test passed; else the action fails and keeps the data. */
export function check(act: Act, data: Json, spec: AssertSpec, results: readonly TestResult[]): Json {
  const failed = results.filter((result) => result !== null);
  if (failed.length > 0) throw new Failure("assert", spec.error_message?.() ?? "", { data, ...outcome(spec, failed) });
  act.message = spec.success_message?.() ?? "success";
  act.okCode = spec.http_code_on_success;
  return data;
}

/** The first failed test's own status takes precedence over the assert's. */
export function outcome(spec: AssertSpec, failed: readonly NonNullable<TestResult>[]): { errors: readonly string[]; status?: number } {
  const status = failed.find((result) => result.code !== undefined)?.code ?? spec.http_code_on_error;
  return { errors: failed.flatMap((result) => result.errors), ...(status === undefined ? {} : { status }) };
}
