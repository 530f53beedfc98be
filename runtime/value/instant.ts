/** RFC 3339, and the same with a blank and without zone, which is UTC (spec/transforms 5). */
const pattern = /^(\d{4}-\d\d-\d\d)[Tt ]((?:[01]\d|2[0-3]):\d\d:\d\d(?:\.\d{1,9})?)([Zz]|[+-]\d\d:\d\d)?$/;

/** Unix milliseconds of a timestamp such as `2026-07-01T12:00:00+02:00` or `2026-07-01 12:00:00`; undefined when it is none. */
export function instant(text: string): number | undefined {
  const [, date, time, zone = "Z"] = pattern.exec(text.trim()) ?? [];
  if (date === undefined) return undefined;
  const midnight = Date.parse(`${date}T00:00:00Z`);
  // 30 February would be read as a day of March.
  if (Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(date)) return undefined;
  const milliseconds = Date.parse(`${date}T${time}${zone.toUpperCase()}`);
  return Number.isNaN(milliseconds) ? undefined : milliseconds;
}
