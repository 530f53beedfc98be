/** A rule of five fields (spec/surfaces 2). */
export interface CronRule {
  /** The rule in the plain form that any cron reads: `*`, or a list of numbers. Sunday is 0. */
  readonly plain: string;
  /** Minute or hour begins with `*`: the rule follows real time through changes of the clock. */
  readonly isRegular: boolean;
}

interface Field {
  readonly name: string;
  readonly least: number;
  readonly most: number;
  /** Names of values, from `least` on. */
  readonly names?: readonly string[];
}

const fields: readonly Field[] = [
  { name: "minute", least: 0, most: 59 },
  { name: "hour", least: 0, most: 23 },
  { name: "day", least: 1, most: 31 },
  { name: "month", least: 1, most: 12, names: ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"] },
  { name: "weekday", least: 0, most: 7, names: ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"] },
];

/** Days of each month, in a leap year. */
const days = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Reads `minute hour day month weekday`. A text as the result says why the rule is wrong. */
export function readCron(text: string): CronRule | string {
  const parts = text
    .trim()
    .split(/[ \t]+/)
    .map((part) => part.replace(/^\*\/0?1$/, "*"));
  if (text.length > 1000) return "it is longer than 1000 characters";
  const count = text.trim() === "" ? 0 : parts.length;
  if (count !== fields.length)
    return `it has ${count} ${count === 1 ? "field" : "fields"}; a schedule has 5: minute hour day month weekday`;
  const values: (readonly number[])[] = [];
  for (const [index, field] of fields.entries()) {
    const read = readField(parts[index] ?? "", field);
    if (typeof read === "string") return read;
    values.push(index === 4 ? [...new Set(read.map((day) => day % 7))].sort((a, b) => a - b) : read);
  }
  const [minute = "", hour = "", day = "", , weekday = ""] = parts;
  const [, , ofMonth = [], months = []] = values;
  const comes = day === "*" || weekday !== "*" || months.some((month) => ofMonth.some((each) => each <= (days[month - 1] ?? 0)));
  if (!comes) return "that day never comes";
  return {
    plain: values.map((list, index) => (parts[index] === "*" ? "*" : list.join(","))).join(" "),
    isRegular: minute.startsWith("*") || hour.startsWith("*"),
  };
}

/** The values of one field, sorted. */
function readField(text: string, field: Field): readonly number[] | string {
  const numbers = new Set<number>();
  for (const item of text.split(",")) {
    const read = readItem(item, field);
    if (read === undefined) return `'${item}' is no ${field.name}: ${field.least}-${field.most}${namesOf(field)}, with , - * and /`;
    const count = (field.most === 7 ? 6 : field.most) - field.least + 1;
    if (read.step > count) return `the step of '${item}' is larger than the ${count} values of a ${field.name}`;
    for (let value = read.from; value <= read.to; value += read.step) numbers.add(value);
  }
  return [...numbers].sort((a, b) => a - b);
}

const namesOf = ({ names }: Field): string => (names === undefined ? "" : ` or ${names[0]}-${names.at(-1)}`);

/** Reads `*`, `a` or `a-b`; `*` and `a-b` may have a step. */
function readItem(item: string, field: Field): { readonly from: number; readonly to: number; readonly step: number } | undefined {
  const [, all, first = "", last, by] = /^(?:(\*)|([a-z0-9]{1,3})(?:-([a-z0-9]{1,3}))?)(?:\/(\d{1,2}))?$/i.exec(item) ?? [];
  const step = Number(by ?? 1);
  if (step < 1 || (by !== undefined && all === undefined && last === undefined)) return undefined;
  // `*` is every weekday once.
  if (all !== undefined) return { from: field.least, to: field.most === 7 ? 6 : field.most, step };
  const from = readValue(first, field);
  const end = last === undefined ? from : readValue(last, field);
  if (from === undefined || end === undefined) return undefined;
  // A week may end with SUN.
  const to = end < from && field.most === 7 && end === 0 ? 7 : end;
  return to < from ? undefined : { from, to, step };
}

function readValue(text: string, { least, most, names = [] }: Field): number | undefined {
  const index = names.indexOf(text.toUpperCase());
  const value = index >= 0 ? least + index : /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN;
  return value >= least && value <= most ? value : undefined;
}

/** True for a name of the IANA data base, such as Europe/Berlin; an offset is none. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
