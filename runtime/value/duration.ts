/** Longest wait of a timer in milliseconds, almost 25 days: Node fires one that is longer at once. */
export const longestWait = 2_147_483_647;

/** Milliseconds of the longest `delay`, and of the longest wait for an answer: 30 days. */
export const longestDelay = 2_592_000_000;

/** Milliseconds up to which a process itself waits for a `delay`, unless its operator says otherwise. */
export const usualDelayCap = 300_000;

/** Milliseconds of each unit of the one duration grammar (spec/language 2.7, after humantime). */
const units: Readonly<Record<string, number>> = {
  ns: 1e-6,
  nsec: 1e-6,
  us: 1e-3,
  usec: 1e-3,
  ms: 1,
  msec: 1,
  millis: 1,
  s: 1_000,
  sec: 1_000,
  second: 1_000,
  seconds: 1_000,
  m: 60_000,
  min: 60_000,
  minute: 60_000,
  minutes: 60_000,
  h: 3_600_000,
  hr: 3_600_000,
  hour: 3_600_000,
  hours: 3_600_000,
  d: 86_400_000,
  day: 86_400_000,
  days: 86_400_000,
  w: 604_800_000,
  week: 604_800_000,
  weeks: 604_800_000,
  M: 2_630_016_000, // 30.44 d
  month: 2_630_016_000,
  months: 2_630_016_000,
  y: 31_557_600_000, // 365.25 d
  year: 31_557_600_000,
  years: 31_557_600_000,
};

/** Characters of a duration; the pattern needs a place on the stack for each part of a text. */
const longestDuration = 1_000;

/** Milliseconds of a text such as `1h30m` or `15days 2min 2s`; undefined when it is none. No sign, no fraction. */
export function duration(text: string): number | undefined {
  if (text.length > longestDuration) return undefined;
  const trimmed = text.trim();
  if (!/^(?:\d{1,15}\s*[A-Za-z]+\s*)+$/.test(trimmed)) return undefined;
  let total = 0;
  for (const [, digits, unit] of trimmed.matchAll(/(\d+)\s*([A-Za-z]+)/g)) {
    const size = unit !== undefined && Object.hasOwn(units, unit) ? units[unit] : undefined;
    if (size === undefined) return undefined;
    total += Number(digits) * size;
  }
  return total;
}

/** The words of the grammar, for suggestions. */
export const durationUnits: readonly string[] = Object.keys(units);

/** Says what is wrong with a duration; undefined when nothing is. */
export function durationProblem(value: string | number): string | undefined {
  const text = String(value).trim();
  if (text.length > longestDuration) return `a duration has at most ${longestDuration} characters`;
  if (typeof value === "number" ? value >= 0 : duration(text) !== undefined) return undefined;
  if (/^-\s*\d/.test(text)) return `${text} is negative`;
  const unknown = /^(?:\d{1,15}\s*[A-Za-z]+\s*)+$/.test(text)
    ? [...text.matchAll(/[A-Za-z]+/g)].map(([unit]) => unit).find((unit) => !Object.hasOwn(units, unit))
    : undefined;
  if (unknown !== undefined) return `'${text}' has the unit '${unknown}', which is none`;
  if (/\d[.,]\d/.test(text)) return `'${text}' has a fraction; say it in a smaller unit`;
  return `'${text}' is no duration, such as 500ms, 30s or 1h30m`;
}
