import type { Run } from "../../run/run.ts";
import { Failure } from "../../value/failure.ts";
import type { Json } from "../../value/json.ts";
import type { Accepted } from "../../value/known.ts";
import type { Finding, Validator } from "./findings.ts";

/** One thing that is wrong with a value, and where: a JSON Pointer. */
export interface Problem {
  readonly pointer: string;
  readonly message: string;
}

/**
 * Checks whether the delivered request satisfies `accepts.schema`, after the parameters and before any action. A request that does not
 * satisfy it is answered with 422 and all errors. After this check the type checker knows the type of the body.
 */
export function accepts<Input>(cx: Run, validate: Validator<Input>): cx is Run & Accepted<Input> {
  const problems = cx.journal?.isResumed ? [] : problemsOf(cx.body, validate);
  if (problems.length === 0) return true;
  const redact = (text: string): string => cx.host.redactor.text(text);
  const errors = problems.map(({ pointer, message }) => ({ pointer: redact(pointer), message: redact(message) }));
  cx.problems = problems.map(({ pointer, message }) => (pointer === "" ? message : `${pointer} ${message}`));
  cx.short = { http_code: 422, body: { text: JSON.stringify({ data: {}, errors }), type: "application/json" } };
  return false;
}

/** Everything that is wrong with a value; empty when the value is right. */
export function problemsOf(value: Json, validate: Validator): readonly Problem[] {
  try {
    if (validate(value)) return [];
    // flat() leaves out the holes of the list.
    return (validate.errors ?? []).flat().map((each) => ({ pointer: each.instancePath, message: messageOf(each) }));
  } catch (error) {
    // A text may be too long for a pattern.
    if (!(error instanceof Failure)) throw error;
    return [{ pointer: "", message: error.message }];
  }
}

/** The message of ajv, completed by the names and values that ajv keeps apart from its words. */
function messageOf({ keyword, params, message, propertyName }: Finding): string {
  const { additionalProperty, unevaluatedProperty, allowedValues, allowedValue } = params;
  const extra = additionalProperty ?? unevaluatedProperty ?? params.propertyName ?? propertyName;
  if (extra !== undefined) return `${message}: '${String(extra)}'`;
  if (keyword === "enum" && Array.isArray(allowedValues))
    return `${message}: ${allowedValues.map((one) => JSON.stringify(one)).join(", ")}`;
  return allowedValue === undefined ? message : `${message}: ${JSON.stringify(allowedValue)}`;
}
