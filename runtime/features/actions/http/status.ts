import { Failure } from "../../../value/failure.ts";
import type { Json } from "../../../value/json.ts";
import { refuse } from "../../../value/values.ts";

/** A status, its text, a class such as `2xx`, or `any` (spec/language 3.6). */
export type StatusMatcher = number | string;

/** `expect_status` of an action that has none. */
const defaultExpected: readonly StatusMatcher[] = ["2xx", 304];

/** Reads `expect_status`, whose markers may have given anything: an action fails by them before it sends (spec/language 2.7). */
export function expectedOf(value: Json): readonly StatusMatcher[] {
  if (value === null) return defaultExpected;
  const listed = Array.isArray(value) ? value : [value];
  if (listed.length === 0) return refuseStatus(value);
  return listed.map((one) => (isMatcher(one) ? one : refuseStatus(one)));
}

const refuseStatus = (value: Json): never => refuse("expect_status", "a status, a class such as 2xx, any, or a list of these", value);

function isMatcher(value: Json): value is StatusMatcher {
  if (typeof value === "number") return Number.isInteger(value) && value >= 100 && value <= 599;
  return typeof value === "string" && /^(?:[1-5][0-9]{2}|[1-5]xx|any)$/.test(value);
}

export function isExpected(expected: readonly StatusMatcher[], status: number): boolean {
  for (const matcher of expected) if (matches(matcher, status)) return true;
  return false;
}

function matches(matcher: StatusMatcher, status: number): boolean {
  if (typeof matcher === "number") return matcher === status;
  return matcher === "any" || matcher === `${Math.floor(status / 100)}xx` || matcher === String(status);
}

/** True when the author wants to see a redirect instead of following it. 304 is none. */
export const namesRedirect = (expected: readonly StatusMatcher[]): boolean =>
  expected.some((matcher) => /^3(?:xx|\d\d)$/.test(String(matcher)) && String(matcher) !== "304");

/** Fails with the whole result as data (spec/language 5.1.4). */
export function statusFailure(expected: readonly StatusMatcher[], status: number, data: Json): Failure {
  const now = expected.join(", ");
  const accepted = now === defaultExpected.join(", ") ? `2xx, ${status}` : `${now}, ${status}`;
  // Beyond 599 there is no status that a matcher could name.
  const advice = isMatcher(status) ? `; to accept it set expect_status: [${accepted}]` : "";
  return new Failure("status", `http status ${status} is not in expect_status (${now})${advice}`, { data, upstream: status });
}
