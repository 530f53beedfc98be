import { placeOf } from "../../paths/each-node.ts";
import { isDigits } from "../../paths/nodes.ts";
import { type KeyPath, keyPath, read, type ValuePath, valueAt, valuePath, write } from "../../paths/path.ts";
import { whenKnown } from "../../shapes/arguments.ts";
import { merged, orNull } from "../../shapes/edit.ts";
import { valueIn, writtenAt } from "../../shapes/place.ts";
import { array, byType, type Member, never, nothing, number, type ObjectShape, object, type Shape, union } from "../../shapes/shape.ts";
import { inSlices, type Work, type WorkOwner } from "../../threads/slices.ts";
import { Failure, Reject } from "../../value/failure.ts";
import { isObject, type Json, type JsonObject, own, put, typeOf } from "../../value/json.ts";
import { numeric } from "../../value/target.ts";
import { boundedName } from "../../value/too-large.ts";
import type { ShapedArguments, Transform } from "../feature.ts";

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

/** A field of the rows; its name in the result is its path without the leading dot, or without the quotes of a path that is one name. */
interface Field extends Place {
  readonly name: string;
}

/** The place of a field in the rows. */
interface Place {
  readonly path: ValuePath;
  /** The path, where it is the name of a member. */
  readonly member: string | undefined;
}

/** A field to summarise: the place of its path among the columns. */
interface Summarised {
  readonly name: string;
  readonly column: number;
}

interface Ready {
  readonly over: ValuePath;
  readonly key: KeyPath | undefined;
  readonly count: boolean;
  /** The operations that are named, each with its fields. */
  readonly summaries: readonly (readonly [Operation, readonly Summarised[]])[];
  /** The places of these fields, each once. */
  readonly columns: readonly Place[];
  readonly groups: readonly Field[] | undefined;
}

/** Stage 1: PW512 for a group whose value a summary of the same name would replace. */
export function prepare({ over, key, count, group_by, ...fieldsOf }: Args): Ready {
  const columns = new Map<string, Place>();
  const summarised = (field: string | null): Summarised => {
    const { name, ...place } = fieldOf(field);
    const { text } = place.path;
    columns.set(text, columns.get(text) ?? place);
    return { name, column: [...columns.keys()].indexOf(text) };
  };
  const summaries = operations.flatMap((operation) => {
    const fields = fieldsOf[operation];
    return fields ? [[operation, fields.map(summarised)] as const] : [];
  });
  const groups = group_by ? group_by.map(fieldOf) : undefined;
  const counts = count ?? summaries.length === 0;
  const taken = [...(counts ? ["count"] : []), ...summaries.map(([operation]) => operation)];
  const lost = groups?.find(({ name }) => taken.includes(name));
  if (lost !== undefined) throw new Reject("PW512", `'group_by': '${lost.name}' is the name of a summary in each group`);
  return {
    over: valuePath(over ?? ""),
    key: key === null || key === undefined ? undefined : keyPath(key),
    count: counts,
    summaries,
    columns: [...columns.values()],
    groups,
  };
}

function fieldOf(field: string | null): Field {
  const path = valuePath(field);
  const [step, ...more] = path.steps;
  const only = typeof step === "string" && more.length === 0 ? step : undefined;
  // A name of digits may also be the index of an element.
  const member = only === undefined || isDigits(only) ? undefined : only;
  return { name: only ?? path.text.replace(/^\$?\./, ""), path, member };
}

/** The value that a row has there; null where it has none. Most fields are members, which need no walk along a path. */
function cellOf(row: Json, { path, member }: Place): Json {
  if (member === undefined) return read(row, path) ?? null;
  return isObject(row) ? (own(row, member) ?? null) : null;
}

/**
 * Summarises the rows of an array: `{count, sum: {field: n}, avg, min, max}` with what was asked for, `count` alone if nothing was. Missing
 * and null values are skipped, numeric text is read, anything else fails. Without values the sum is 0 and the rest null. Sums and averages
 * have 15 significant digits. With `group_by` the result is `{groups: [...]}`, one for each combination of values, in the order of their
 * first row.
 */
export function aggregate(data: Json, ready: Ready, act: WorkOwner): Json | Promise<Json> {
  const rows = valueAt(data, ready.over);
  if (!Array.isArray(rows)) throw new Failure("transform", `expected an array${placeOf(ready.over)}, found ${typeOf(rows)}`);
  return inSlices(aggregated(data, rows, ready), act);
}

function* aggregated(data: Json, rows: Json[], ready: Ready): Work<Json> {
  const result =
    ready.groups === undefined ? summary(yield* gathered(rows, ready), ready) : { groups: yield* grouped(rows, ready.groups, ready) };
  return ready.key === undefined ? result : write(data, ready.key, result, ready.over.steps.length === 0);
}

/** The sums over some rows: their number, and the summary of the numbers of each column. */
interface Sums {
  count: number;
  readonly columns: readonly Column[];
}

interface Column {
  count: number;
  total: number;
  least: number;
  most: number;
  /** True when a value was no number. */
  isBad: boolean;
}

const noSums = ({ columns }: Ready): Sums => ({
  count: 0,
  columns: columns.map(() => ({ count: 0, total: 0, least: Number.POSITIVE_INFINITY, most: Number.NEGATIVE_INFINITY, isBad: false })),
});

/** Rows, or groups, that take about a millisecond. */
const rowsOfSlice = 1_000;

/** Calls `look` for each item, and lets others have a turn after each slice. */
function* through<T>(items: readonly T[], look: (item: T) => void): Work<undefined> {
  for (let at = 0; at < items.length; at += rowsOfSlice) {
    if (at > 0) yield;
    for (const item of items.slice(at, at + rowsOfSlice)) look(item);
  }
}

function* gathered(rows: readonly Json[], ready: Ready): Work<Sums> {
  const sums = noSums(ready);
  yield* through(rows, (row) => gather(row, sums, ready));
  return sums;
}

function gather(row: Json, sums: Sums, { columns }: Ready): void {
  sums.count += 1;
  for (let i = 0; i < columns.length; i++) {
    const place = columns[i];
    const column = sums.columns[i];
    if (place !== undefined && column !== undefined) add(cellOf(row, place), column);
  }
}

function add(value: Json, column: Column): void {
  if (value === null) return;
  const number = typeof value === "number" ? value : numeric(value);
  if (!Number.isFinite(number)) column.isBad = true;
  column.count += 1;
  column.total += number;
  column.least = Math.min(column.least, number);
  column.most = Math.max(column.most, number);
}

/** The most groups: each is an object of its own, which takes ten times as long as another row. */
const mostGroups = 200_000;

function* grouped(rows: readonly Json[], fields: readonly Field[], ready: Ready): Work<JsonObject[]> {
  const valuesOf = (row: Json): Json[] => fields.map((field) => cellOf(row, field));
  const [first, ...others] = fields;
  const only = others.length === 0 ? first : undefined;
  const groups = new Map<Json, { readonly first: Json; readonly sums: Sums }>();
  yield* through(rows, (row) => {
    const key = only === undefined ? JSON.stringify(valuesOf(row)) : keyOf(cellOf(row, only));
    if (typeof key === "string") boundedName(key);
    let group = groups.get(key);
    if (group === undefined) {
      group = { first: row, sums: noSums(ready) };
      groups.set(key, group);
      if (groups.size > mostGroups) throw new Failure("transform", `more than ${mostGroups} groups`);
    }
    gather(row, group.sums, ready);
  });
  const out: JsonObject[] = [];
  yield* through([...groups.values()], ({ first: row, sums }) => {
    const values = valuesOf(row);
    out.push({ ...objectOf(fields.map(({ name }, i) => [name, values[i] ?? null])), ...summary(sums, ready) });
  });
  return out;
}

/**
 * Groups are told apart by the JSON text of their values: the number 1 and the text `1` are two. Scalars stand for themselves, but for
 * texts that begin with the mark of JSON texts.
 */
function keyOf(value: Json): Json {
  const isScalar = typeof value === "string" ? !value.startsWith("\0") : typeof value !== "object" || value === null;
  return isScalar ? value : `\0${JSON.stringify(value)}`;
}

function summary({ count: rows, columns }: Sums, { count, columns: places, summaries }: Ready): JsonObject {
  const out: JsonObject = count ? { count: rows } : {};
  for (const [operation, fields] of summaries) {
    out[operation] = objectOf(
      fields.map(({ name, column }) => {
        const numbers = columns[column];
        if (numbers === undefined || numbers.isBad)
          throw new Failure("transform", `value at "${places[column]?.path.text}" is not a number`);
        return [name, results[operation](numbers)];
      }),
    );
  }
  return out;
}

const results: Readonly<Record<Operation, (column: Column) => number | null>> = {
  sum: ({ total }) => significant(total),
  avg: ({ count, total }) => (count === 0 ? null : significant(total / count)),
  min: ({ count, least }) => (count === 0 ? null : least),
  max: ({ count, most }) => (count === 0 ? null : most),
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

function shape(data: Shape, args: ShapedArguments<Args>): Shape {
  return whenKnown(args, prepare, ({ over, key, groups, ...ready }) => {
    const result = byType(valueIn(data, over.steps, over.rooted).shape, (list) => {
      if (list.type !== "array") return never;
      return groups === undefined ? summaryShape(ready) : object({ groups: array(groupShape(list.items, groups, ready)) });
    });
    return key === undefined ? result : writtenAt(data, key.steps, result, over.steps.length === 0);
  });
}

function groupShape(row: Shape, groups: readonly Field[], ready: Pick<Ready, "count" | "summaries">): Shape {
  const values = groups.map(({ name, path }) => [name, { shape: orNull(valueIn(row, path.steps, path.rooted)) }] as const);
  return merged(object(new Map(values)), summaryShape(ready));
}

function summaryShape({ count, summaries }: Pick<Ready, "count" | "summaries">): ObjectShape {
  const members = summaries.map(([operation, fields]): [string, Member] => {
    const result = operation === "sum" ? number : union(number, nothing);
    return [operation, { shape: object(new Map(fields.map(({ name }) => [name, { shape: result }]))) }];
  });
  return object(new Map<string, Member>([...(count ? [["count", { shape: number }] as const] : []), ...members]));
}

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
  bounds: "200,000 groups, texts of 16,383 characters to group by",
  effect: "pure",
  async: true,
  prepare,
  run: aggregate,
  shape,
};
