import { Failure, failureCodes } from "../../value/failure.ts";
import { type Json, type JsonObject, put } from "../../value/json.ts";
import { limitReason } from "../../value/too-large.ts";
import { isInternal } from "../end/internal-errors.ts";
import { ownMessage } from "../end/own-message.ts";
import type { Run } from "../run.ts";
import type { FailedTest, TestResult } from "../verdict.ts";
import { replyOf } from "./check.ts";

/** A parameter of an interface: its effective value, and its test. */
export interface Param<Result = TestResult> {
  readonly name: string;
  readonly value: () => Json;
  /** Replaces all error texts of the parameter. */
  readonly error_message?: () => string | null;
  readonly validate?: (data: Json) => Result;
}

/** A parameter whose value or test may wait. */
export interface AsyncParam extends Omit<Param<TestResult | Promise<TestResult>>, "value"> {
  readonly value: () => Json | Promise<Json>;
}

/**
 * Evaluates and tests the parameters before any action runs (spec/language 6.6). When all are valid, the effective values replace those of
 * the request, and the result is true. Otherwise the run is answered with 400 and every failure.
 */
export function params(cx: Run, list: readonly Param[]): boolean {
  if (cx.journal?.isResumed) return true;
  const [effective, problems] = [{ ...cx.params }, new Problems(cx)];
  for (const param of list) {
    try {
      problems.add(param, begun(param, param.value(), effective));
    } catch (error) {
      problems.unevaluated(param, error);
    }
  }
  return concluded(cx, effective, problems);
}

/** Checks parameters with values or tests that wait, one after the other; `begin` declares the actions when all are valid. */
export function asyncParams(cx: Run, list: readonly AsyncParam[], begin: () => void): void {
  cx.after(validated(cx, list, begin));
}

async function validated(cx: Run, list: readonly AsyncParam[], begin: () => void): Promise<void> {
  if (cx.journal?.isResumed) return begin();
  const [effective, problems] = [{ ...cx.params }, new Problems(cx)];
  for (const param of list) {
    try {
      problems.add(param, await begun(param, await param.value(), effective));
    } catch (error) {
      problems.unevaluated(param, error);
    }
  }
  if (concluded(cx, effective, problems)) begin();
}

/** Notes the value of a parameter, also when its test fails, and begins the test. */
function begun<Result>({ name, validate }: Omit<Param<Result>, "value">, current: Json, effective: JsonObject): Result | null {
  put(effective, name, current);
  return validate === undefined ? null : validate(current);
}

type Named = Pick<Param, "name" | "error_message">;

/** The mistakes of the parameters, in their order. */
class Problems {
  readonly failed: FailedTest[] = [];
  readonly errors: string[] = [];
  readonly #cx: Run;

  constructor(cx: Run) {
    this.#cx = cx;
  }

  add({ error_message }: Named, result: TestResult): void {
    if (result === null || !("errors" in result)) return;
    this.failed.push(result);
    const own = result.errors.length === 0 ? null : (error_message?.() ?? null);
    this.errors.push(...(own === null ? result.errors : [own]));
  }

  /**
   * Notes a value or a test that cannot be evaluated. The log has the reason; the answer hides a reason that may show a value of the
   * configuration.
   */
  unevaluated({ name, error_message }: Named, error: unknown): void {
    const { host, place, interface: target } = this.#cx;
    const reason = error instanceof Failure ? error.message : limitReason(error);
    if (reason === undefined) throw error;
    host.log("info", `${failureCodes.evaluation} ${name}: ${reason}`, place);
    const shown = target.show_error_detail || !isInternal(reason) ? `${name}: ${reason}` : `${name}: the value cannot be evaluated`;
    this.errors.push(ownMessage(error_message) ?? shown);
  }
}

function concluded(cx: Run, effective: JsonObject, { failed, errors }: Problems): boolean {
  // A failed test that hides its errors has no text.
  const isRight = failed.length === 0 && errors.length === 0;
  if (isRight) cx.params = effective;
  else {
    cx.problems = errors;
    const body = { data: {}, errors: errors.map((each) => cx.host.redactor.failure(each)) };
    cx.short = { http_code: 400, body: replyOf(failed) ?? { text: JSON.stringify(body), type: "application/json" } };
  }
  return isRight;
}
