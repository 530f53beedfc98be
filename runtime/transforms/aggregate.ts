import { Failure } from "../failure.ts";
import type { Transform } from "../feature.ts";
import { type Json, type JsonObject, put, typeOf } from "../json.ts";
import { placeOf } from "../lib/each-node.ts";
import { type KeyPath, keyPath, read, type ValuePath, valueAt, valuePath, write } from "../lib/path.ts";
import { numeric } from "../lib/target.ts";

type Fields = readonly (string | null)[] | null;

/** Null is what an unset marker leaves: the field is absent. */
interface Args {
  readonly over?: string | null;
  readonly key?: string | null;
  readonly count?: boolean | null;
  readonly sum?: Fields;
  readonly avg?: Fields;
  readonly min?: Fields;
  readonly max?: Fields;
  readonly group_by?: Fields;
}

const operations = ["sum", "avg", "min", "max"] as const;
type Operation = (typeof operations)[number];

/** A field of the rows; its name in the result is its path without the leading dot. */
interface Field {
  readonly name: string;
  readonly path: ValuePath;
}

interface Ready {
  readonly over: ValuePath;
  readonly key: KeyPath | undefined;
  readonly count: boolean;
  /** The operations that are named, each with its fields. */
  readonly summaries: readonly (readonly [Operation, readonly Field[]])[];
  readonly groups: readonly Field[] | undefined;
}

/** Stage 1. */
export function prepare({ over, key, count, group_by, ...named }: Args): Ready {
  const summaries = operations.flatMap((operation) => {
    const fields = named[operation];
    return fields ? [[operation, fields.map(fieldOf)] as const] : [];
  });
  return {
    over: valuePath(over ?? ""),
    key: key === null || key === undefined ? undefined : keyPath(key),
    count: count ?? summaries.length === 0,
    summaries,
    groups: group_by ? group_by.map(fieldOf) : undefined,
  };
}

function fieldOf(field: string | null): Field {
  const path = valuePath(field);
  return { name: path.text.replace(/^\$?\./, ""), path };
}

/**
 * Summarises the rows of an array: `{count, sum: {field: n}, avg, min, max}` with what was asked for, `count` alone if nothing was. Missing and
 * null values are skipped, numeric text is read, anything else fails. Without values the sum is 0 and the rest null. Sums and averages have 15
 * significant digits. With `group_by` the result is `{groups: [...]}`, one for each combination of values, in the order of their first row.
 */
export function aggregate(data: Json, ready: Ready): Json {
  const rows = valueAt(data, ready.over);
  if (!Array.isArray(rows)) throw new Failure("transform", `expected an array${placeOf(ready.over)}, found ${typeOf(rows)}`);
  const result = ready.groups === undefined ? summary(rows, ready) : { groups: grouped(rows, ready.groups, ready) };
  return ready.key === undefined ? result : write(data, ready.key, result, ready.over.steps.length === 0);
}

function grouped(rows: readonly Json[], fields: readonly Field[], ready: Ready): JsonObject[] {
  const valuesOf = (row: Json): Json[] => fields.map(({ path }) => read(row, path) ?? null);
  const [only, ...others] = fields;
  const groups = Map.groupBy(rows, (row) =>
    only !== undefined && others.length === 0 ? keyOf(read(row, only.path) ?? null) : JSON.stringify(valuesOf(row)),
  );
  return [...groups.values()].map((members) => {
    const values = valuesOf(members[0] ?? null);
    return { ...objectOf(fields.map(({ name }, i) => [name, values[i] ?? null])), ...summary(members, ready) };
  });
}

/** Groups are told apart by the JSON text of their values: the number 1 and the text `1` are two. No JSON text but that of a text begins with the mark. */
const keyOf = (value: Json): string => (typeof value === "string" ? `"${value}` : JSON.stringify(value));

function summary(rows: readonly Json[], { count, summaries }: Ready): JsonObject {
  const out: JsonObject = count ? { count: rows.length } : {};
  for (const [operation, fields] of summaries) {
    out[operation] = objectOf(fields.map((field) => [field.name, results[operation](numbersOf(rows, field))]));
  }
  return out;
}

function numbersOf(rows: readonly Json[], { path }: Field): number[] {
  const numbers: number[] = [];
  for (const row of rows) {
    const value = read(row, path) ?? null;
    if (value === null) continue;
    const number = typeof value === "number" ? value : numeric(value);
    if (!Number.isFinite(number)) throw new Failure("transform", `value at "${path.text}" is not a number`);
    numbers.push(number);
  }
  return numbers;
}

const total = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);

const results: Readonly<Record<Operation, (numbers: readonly number[]) => number | null>> = {
  sum: (numbers) => significant(total(numbers)),
  avg: (numbers) => (numbers.length === 0 ? null : significant(total(numbers) / numbers.length)),
  min: (numbers) => (numbers.length === 0 ? null : numbers.reduce((least, number) => Math.min(least, number))),
  max: (numbers) => (numbers.length === 0 ? null : numbers.reduce((most, number) => Math.max(most, number))),
};

/** 15 digits, so that 0.1 and 0.2 are 0.3. */
function significant(number: number): number {
  if (!Number.isFinite(number)) throw new Failure("transform", "result is not a finite number");
  return Number(number.toPrecision(15));
}

function objectOf(members: readonly (readonly [string, Json])[]): JsonObject {
  const out: JsonObject = {};
  for (const [name, value] of members) put(out, name, value);
  return out;
}

const field = { type: "string", context: "path", description: "Path of a field of a row." } as const;

export const spec: Transform<Args, Ready> = {
  summary: "Summarise rows: count, sum, average, least and greatest values.",
  schema: {
    type: "object",
    additionalProperties: false,
    properties: {
      over: { type: "string", context: "path", description: "Path of the array of rows; all data by default." },
      key: { type: "string", context: "path", description: "Where the result is written; without it, it replaces the data." },
      count: { type: "boolean", description: "Count the rows; on by default when no other operation is named." },
      sum: { type: "array", items: field, description: "Fields to add up." },
      avg: { type: "array", items: field, description: "Fields to average." },
      min: { type: "array", items: field, description: "Fields whose least value is wanted." },
      max: { type: "array", items: field, description: "Fields whose greatest value is wanted." },
      group_by: { type: "array", items: field, description: "Fields that make groups: one summary for each combination of their values." },
    },
  },
  effect: "pure",
  prepare,
  run: aggregate,
};
