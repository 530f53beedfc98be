import type { Json } from "./json.ts";

// Timestamps of markers (spec/language 2.10).

/** A parsed `FORMAT[+-]DIGITS[UNIT]`. */
export interface TimestampFormat {
  readonly format: string;
  readonly offsetNanoseconds: bigint;
}

/** Nanoseconds of each unit of an offset. */
const units: Readonly<Record<string, bigint>> = {
  ns: 1n,
  nano: 1n,
  nanosecond: 1n,
  ms: 1_000_000n,
  milli: 1_000_000n,
  millisecond: 1_000_000n,
  s: 1_000_000_000n,
  sec: 1_000_000_000n,
  second: 1_000_000_000n,
  m: 60_000_000_000n,
  min: 60_000_000_000n,
  minute: 60_000_000_000n,
  h: 3_600_000_000_000n,
  hr: 3_600_000_000_000n,
  hour: 3_600_000_000_000n,
  d: 86_400_000_000_000n,
  day: 86_400_000_000_000n,
};

/** A time, read in the zone of the process or in UTC. */
interface Clock {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  /** Minutes ahead of UTC. */
  readonly ahead: number;
}

const fields = ["year", "month", "day", "hour", "minute", "second"] as const;

/** The largest offset: far beyond the years of any use, and still within the range of `Date`. */
const furthest = 250_000n * 365n * 86_400_000_000_000n;

/** Parses the text after `timestamp:`; undefined when format, unit or size is none that exists (PW204). */
export function parseTimestamp(text: string): TimestampFormat | undefined {
  const {
    format = "",
    sign,
    digits,
    unit,
  } = /^(?<format>[a-z]+)\s*(?:(?<sign>[+-])\s*(?<digits>\d{1,20})\s*(?<unit>[a-z]*))?$/.exec(text.trim())?.groups ?? {};
  if (!isFormat(format)) return undefined;
  if (digits === undefined) return { format, offsetNanoseconds: 0n };
  const size = unit ? (Object.hasOwn(units, unit) ? units[unit] : undefined) : units[isUnix(format) ? format : "ms"];
  if (size === undefined || BigInt(digits) * size > furthest) return undefined;
  return { format, offsetNanoseconds: BigInt(digits) * size * (sign === "-" ? -1n : 1n) };
}

/** The instant (Unix milliseconds) in a format of the table. An unknown format gives null; the compiler has already refused it. */
export function timestamp(now: number, text: string): Json {
  const parsed = parseTimestamp(text);
  if (parsed === undefined) return null;
  const { format, offsetNanoseconds } = parsed;
  const nanoseconds = BigInt(Math.trunc(now)) * 1_000_000n + offsetNanoseconds;
  if (format === "ns") return String(nanoseconds);
  const milliseconds = Number(floorDivide(nanoseconds, 1_000_000n));
  if (format === "ms") return milliseconds;
  if (format === "s") return Math.floor(milliseconds / 1000);
  const date = new Date(milliseconds);
  const field = fields.find((name) => format === name || format === `utc${name}`);
  if (field !== undefined) return (format === field ? local(date) : utc(date))[field];
  return calendar(format, format.includes("utc") ? utc(date) : local(date));
}

const isUnix = (format: string): boolean => format === "s" || format === "ms" || format === "ns";

function isFormat(format: string): boolean {
  const field = format.startsWith("utc") ? format.slice(3) : format;
  return isUnix(format) || /^date(?:time(?:utc)?(?:tz)?|utc)?$/.test(format) || fields.some((name) => name === field);
}

function calendar(format: string, { year, month, day, hour, minute, second, ahead }: Clock): string {
  const date = `${pad(year, 4)}-${pad(month)}-${pad(day)}`;
  if (!format.startsWith("datetime")) return date;
  const time = `${date}T${pad(hour)}:${pad(minute)}:${pad(second)}`;
  if (!format.endsWith("tz")) return time;
  const distance = Math.abs(ahead);
  return format === "datetimeutctz" ? `${time}Z` : `${time}${ahead < 0 ? "-" : "+"}${pad(Math.floor(distance / 60))}:${pad(distance % 60)}`;
}

const pad = (number: number, width = 2): string => String(number).padStart(width, "0");

function local(date: Date): Clock {
  return {
    year: date.getFullYear(),
    month: date.getMonth() + 1,
    day: date.getDate(),
    hour: date.getHours(),
    minute: date.getMinutes(),
    second: date.getSeconds(),
    ahead: -date.getTimezoneOffset(),
  };
}

function utc(date: Date): Clock {
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
    ahead: 0,
  };
}

/** Division that rounds towards the past, also before 1970. */
const floorDivide = (a: bigint, b: bigint): bigint => (a >= 0n || a % b === 0n ? a / b : a / b - 1n);
