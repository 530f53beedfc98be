import { isTimeZone, readCron } from "../languages/cron-fields.ts";
import { parseRange } from "../network/addresses/address.ts";
import { countryProblem } from "../network/addresses/country.ts";

// Each judge gives the problem of a value, in the words of the diagnostic for a literal; undefined when the value is valid.

type Value = string | number;

export function cron_line(value: Value): string | undefined {
  const rule = readCron(String(value));
  return typeof rule === "string" ? `'${value}' is no schedule: ${rule}` : undefined;
}

export const time_zone = (value: Value): string | undefined => (isTimeZone(String(value)) ? undefined : `'${value}' is no time zone`);

export const address_range = (value: Value): string | undefined =>
  parseRange(String(value)) === undefined ? `'${value}' is no address and no range` : undefined;

export const country_code = (value: Value): string | undefined => countryProblem(String(value));

/** The shortest and the longest window of a rate limit, in milliseconds. */
export const windowBounds = [1_000, 86_400_000] as const;

export function rate_window(value: Value): string | undefined {
  const [shortest, longest] = windowBounds;
  return Number(value) < shortest || Number(value) > longest ? "the window of a rate limit is outside 1s..24h" : undefined;
}

export const retry_matcher = (value: Value): string | undefined =>
  /^(?:[1-5][0-9]{2}|[1-5]xx|any|timeout|connect)$/.test(String(value))
    ? undefined
    : `'${value}' is no status, class of statuses, any, timeout or connect`;

/** Refuses a text that no line of a header can hold. */
export const header_line = (value: Value): string | undefined =>
  /^[\t\x20-\x7e]*$/.test(String(value)) ? undefined : "a header is one line of printable ASCII";
