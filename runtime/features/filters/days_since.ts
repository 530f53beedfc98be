import { byType, nothing, number, type Shape, union } from "../../shapes/shape.ts";
import type { Json } from "../../value/json.ts";
import type { Filter } from "../feature.ts";

/**
 * Whole periods of 24 hours since an ISO 8601 date (without a zone: UTC) or Unix time: a number (from 1e11 on milliseconds), or a text of 9
 * or 10 digits (seconds) or 13 (milliseconds); null when it is neither.
 */
export function days_since(value: Json, now: number): Json {
  const since = instant(value);
  return since === null ? null : Math.floor((now - since) / 86_400_000);
}

/** Unix milliseconds of a date or Unix time. */
function instant(value: Json): number | null {
  if (typeof value === "number") return Math.abs(value) >= 1e11 ? value : value * 1000;
  if (typeof value !== "string") return null;
  const text = value.trim();
  if (/^(?:\d{9,10}|\d{13})$/.test(text)) return Number(text) * (text.length === 13 ? 1 : 1000);
  return isoInstant(text);
}

const iso =
  /^(?<date>(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d))(?:[T ](?<time>\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(?<zone>Z|[+-]\d\d(?::?\d\d)?)?)?$/i;

function isoInstant(text: string): number | null {
  const { date, year, month, day, time = "00:00", zone = "Z" } = iso.exec(text)?.groups ?? {};
  if (date === undefined || Number(day) > new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate()) return null;
  const offset = zone.toUpperCase() === "Z" ? "Z" : `${zone.slice(0, 3)}:${zone.slice(3).replace(":", "") || "00"}`;
  const milliseconds = Date.parse(`${date}T${time}${offset}`);
  return Number.isNaN(milliseconds) ? null : milliseconds;
}

export const spec: Filter = {
  summary: "Whole days since a date or Unix time.",
  arity: 0,
  hides: true,
  clock: true,
  run: (value, _, now) => days_since(value, now),
};

/** The shape of the result, for the compiler alone. */
export const shape = (value: Shape): Shape =>
  byType(value, ({ type }) => (type === "number" ? number : type === "string" ? union(number, nothing) : nothing));
