import { read, type ValuePath, valuePath } from "../../paths/path.ts";
import { placesOf, whenKnown } from "../../shapes/arguments.ts";
import { array, byType, never, object, type Shape } from "../../shapes/shape.ts";
import { inSlices, type Work, type WorkOwner } from "../../threads/slices.ts";
import { Failure, Reject } from "../../value/failure.ts";
import { type Json, type JsonObject, put, typeOf } from "../../value/json.ts";
import { boundedName } from "../../value/too-large.ts";
import type { Transform } from "../feature.ts";

/** Stage 1: no field at all is PW512. */
export function prepare(fields: readonly (string | null)[]): readonly ValuePath[] {
  if (fields.length === 0) throw new Reject("PW512", "group_by needs a field");
  return fields.map(valuePath);
}

/**
 * An object of lists: the rows of an array by the text of a field; several fields nest. Strings are their own text, anything else is
 * compact JSON, a missing field is `null`. Rows keep their order; so do groups, by their first row, except that integers come first.
 */
export function group_by(data: Json, fields: readonly ValuePath[], act: WorkOwner): Json | Promise<Json> {
  if (!Array.isArray(data)) throw new Failure("transform", `expected an array, found ${typeOf(data)}`);
  return inSlices(grouped(data, fields), act);
}

/** The most groups of one level: each is a member of its own, which takes ten times as long as another row. */
const mostGroups = 200_000;

/** Rows, or groups, that take about a millisecond. */
const rowsOfSlice = 1_000;

function* grouped(rows: Json[], [field, ...others]: readonly ValuePath[]): Work<Json> {
  if (field === undefined) return rows;
  const groups = new Map<string, Json[]>();
  for (const [i, row] of rows.entries()) {
    const name = boundedName(groupOf(row, field));
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [row]);
    else group.push(row);
    if (groups.size > mostGroups) throw new Failure("transform", `more than ${mostGroups} groups`);
    if ((i + 1) % rowsOfSlice === 0) yield;
  }
  const out: JsonObject = {};
  let count = 0;
  for (const [name, group] of groups) {
    put(out, name, yield* grouped(group, others));
    if (++count % rowsOfSlice === 0) yield;
  }
  return out;
}

function groupOf(row: Json, field: ValuePath): string {
  const value = read(row, field) ?? null;
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The shape of groups by that many fields. */
const groupsOf = (row: Shape, fields: number): Shape => (fields === 0 ? array(row) : object({}, groupsOf(row, fields - 1)));

export const spec: Transform<readonly (string | null)[], readonly ValuePath[]> = {
  summary: "Group the rows of a list by fields: an object of lists.",
  schema: {
    type: "array",
    items: { type: "string", context: "path", description: "Path of a field in a row, such as `country` or `user.id`." },
    description: "The fields. Each further one groups within the groups of the one before.",
  },
  bounds: "200,000 groups of one field, names of 16,383 characters",
  effect: "pure",
  async: true,
  prepare,
  run: group_by,
  shape: (data, args) =>
    byType(data, (one) => (one.type === "array" ? whenKnown(args, prepare, (fields) => groupsOf(one.items, fields.length)) : never)),
  expects: placesOf,
};
