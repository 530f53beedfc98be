import { haveColumns } from "../../value/columns.ts";
import { Failure } from "../../value/failure.ts";
import { isObject, type Json, type JsonObject, typeOf } from "../../value/json.ts";
import type { Act } from "../run.ts";
import { type Keeps, listAt, passesAll } from "./filter.ts";

/** Transforms in one loop, in the order in which a row meets its parts. */
export interface RowLoop<Column extends string = string> {
  /** The members that `add_attribute` sets, evaluated once for all rows. */
  readonly added?: () => JsonObject;
  /** Conditions of `filter` that hold for an element as well as for what becomes of it. */
  readonly before?: Keeps;
  /** With `literal`: the columns that the query names. */
  readonly columns?: readonly Column[];
  /** Makes the new row where the database has sent just these columns: nobody has to look which members there are. */
  readonly literal?: (row: Readonly<Record<Column, Json>>, added: JsonObject) => JsonObject;
  /** Makes the new row of any other. */
  readonly row: (row: JsonObject, added: JsonObject) => JsonObject;
  /** Conditions on what has become of an element. */
  readonly after?: Keeps;
}

/**
 * Applies transforms to each row in one loop, with the result that they give one after the other: the data is an object, or a list whose
 * objects are rows and whose other elements stay. Anything else fails as the first of them does (feature.ts `MemberEdit`). With
 * `keep_attributes` what is no object has none of the members, and becomes empty.
 */
export function each_row<const Column extends string>(act: Act, transforms: readonly string[], data: Json, loop: RowLoop<Column>): Json {
  const added = begun(act, transforms, data, loop);
  const { columns, literal, row } = loop;
  if (isObject(data)) return row(data, added);
  if (!Array.isArray(data)) return data;
  // The rows have these columns, which is all that it asks of a row.
  const direct = columns !== undefined && haveColumns(data, columns) ? (literal as RowLoop["row"] | undefined) : undefined;
  return changed(data, direct ?? row, added, transforms, loop);
}

function changed(
  items: readonly Json[],
  row: RowLoop["row"],
  added: JsonObject,
  transforms: readonly string[],
  { before, after }: Pick<RowLoop, "before" | "after">,
): Json[] {
  const place = transforms.indexOf("keep_attributes");
  const isAddedLater = transforms.indexOf("add_attribute") > place;
  const other = (item: Json): Json => {
    if (place < 0) return item;
    if (Array.isArray(item)) return [];
    return isAddedLater ? row({}, added) : {};
  };
  // Without conditions the length is known beforehand, which is worth a tenth.
  if (before === undefined && after === undefined) return items.map((item) => (isObject(item) ? row(item, added) : other(item)));
  const out: Json[] = [];
  for (const item of items) {
    if (before !== undefined && !passesAll(before, item)) continue;
    const result = isObject(item) ? row(item, added) : other(item);
    if (after === undefined || passesAll(after, result)) out.push(result);
  }
  return out;
}

/** Says what is done, one transform after the other, and fails as the one does that cannot do it; gives what `add_attribute` sets. */
function begun(act: Act, transforms: readonly string[], data: Json, { added }: Pick<RowLoop, "added">): JsonObject {
  let members: JsonObject = {};
  for (const transform of transforms) {
    act.step(transform, data);
    if (transform === "filter") listAt(data);
    else if (!Array.isArray(data) && !isObject(data)) throw new Failure("transform", `expected an object or array, found ${typeOf(data)}`);
    // A failure of an argument is one of the transform that has it.
    if (transform === "add_attribute" && added !== undefined) members = added();
  }
  return members;
}
