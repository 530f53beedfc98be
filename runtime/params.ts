import { failedTests, type TestResult } from "./check.ts";
import { Failure } from "./failure.ts";
import { type Json, put } from "./json.ts";
import type { Run } from "./run.ts";

/** A parameter of an interface: its effective value, and what is tested of it. */
export interface Param {
  readonly name: string;
  readonly value: () => Json;
  readonly validate?: (data: Json) => TestResult;
}

/**
 * Evaluates and tests the parameters before any action runs (language.md 6.6). When all are right the effective values replace those of the
 * request; else the run is answered with 400 and every failure, and the result is false.
 */
export function params(cx: Run, list: readonly Param[]): boolean {
  const effective = { ...cx.params };
  const errors = list.flatMap(({ name, value, validate }) => {
    try {
      const given = value();
      put(effective, name, given);
      return validate === undefined ? [] : failedTests([validate(given)]).flatMap((failed) => failed.errors);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return [`${name}: ${error.message}`];
    }
  });
  if (errors.length === 0) cx.params = effective;
  else cx.short = { http_code: 400, body: { text: JSON.stringify({ data: {}, errors }), type: "application/json" } };
  return errors.length === 0;
}
