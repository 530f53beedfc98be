import type { RetryPlan } from "../../plan/index.ts";
import { Failure } from "../../value/failure.ts";
import { isObject, type Json, own } from "../../value/json.ts";
import { attemptFails } from "../end/debug-log.ts";
import type { Act, Attempt } from "../run.ts";

const usual: NonNullable<RetryPlan["on"]> = [408, 429, 500, 502, 503, 504, "timeout", "connect"];

/**
 * Tries again after a failure (spec/language 3.6). Only the last try counts. An error that is not a `Failure` is our bug and ends the
 * action at once.
 */
export const retry =
  (spec: RetryPlan) =>
  (attempt: Attempt): Attempt =>
  async (act) => {
    for (let tries = 1; ; tries++) {
      try {
        return await attempt(act);
      } catch (thrown) {
        if (!(thrown instanceof Failure) || tries >= spec.attempts || act.cancellation.aborted || !isRetried(thrown, spec)) throw thrown;
        act.retrying(thrown);
        const ms = wait(act, thrown, tries, spec);
        if (act.run.host.debug) attemptFails(act, thrown, tries, spec.attempts, ms);
        const rest = act.run.host.sleep(ms, act.signal);
        await (act.run.journal?.rests(act, rest) ?? rest).catch(() => {
          throw thrown;
        });
        if (act.cancellation.aborted) throw thrown;
        act.again();
      }
    }
  };

/**
 * True when the plan retries this failure. Plans name classes for statuses and transport errors of HTTP actions; any other failure is
 * retried unless it is final. The plan of an action without statuses says `any`.
 */
function isRetried(failure: Failure, { on = usual, except = [] }: RetryPlan): boolean {
  if (failure.details.final === true) return false;
  if (failure.details.upstream === undefined) return true;
  const is = (matcher: number | string): boolean => matches(String(matcher), failure);
  return on.some(is) && !except.some(is);
}

function matches(matcher: string, { kind, details }: Failure): boolean {
  if (matcher === "any") return true;
  if (matcher === "timeout") return kind === "timeout";
  if (matcher === "connect") return details.unsent === true;
  const status = String(details.upstream);
  return kind === "status" && (matcher === status || matcher === `${status[0]}xx`);
}

function wait(act: Act, failure: Failure, tries: number, spec: RetryPlan): number {
  const { delay = 1000, max_delay = 30_000, exponential_backoff = false, jitter = "full", respect_retry_after = true } = spec;
  const wait = respect_retry_after ? retryAfter(failure, act) : undefined;
  if (wait !== undefined) return Math.min(wait, max_delay);
  const longest = Math.min(exponential_backoff ? delay * 2 ** (tries - 1) : delay, max_delay);
  return jitter === "none" ? longest : Math.round(longest * fraction(act));
}

/** A random number, uniform in [0, 1). */
const fraction = (act: Act): number => act.run.host.bytes(4).readUInt32BE() / 2 ** 32;

/** Milliseconds that the service asks the caller to wait: `retry-after` holds seconds or an HTTP date (RFC 9110, 10.2.3). */
function retryAfter({ kind, details }: Failure, act: Act): number | undefined {
  const headers = kind === "status" && isObject(details.data) ? details.data.headers : undefined;
  const header: Json = isObject(headers) ? (own(headers, "retry-after") ?? null) : null;
  if (typeof header !== "string") return undefined;
  const text = header.trim();
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  // The date parser of JavaScript accepts nearly every text, even `-5` and `0.5`.
  const date = httpForms.some((form) => form.test(text)) ? Date.parse(text.endsWith("GMT") ? text : `${text} GMT`) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - act.run.host.now());
}

/** The three forms of a date in HTTP (RFC 9110, 5.6.7). The last form has no zone, and means GMT. */
const httpForms = [
  /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/,
  /^[A-Z][a-z]{5,8}, \d\d-[A-Z][a-z]{2}-\d\d \d\d:\d\d:\d\d GMT$/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/,
];
