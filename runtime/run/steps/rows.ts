import { haveColumns } from "../../value/columns.ts";
import { Failure } from "../../value/failure.ts";
import { isObject, type Json, type JsonObject, typeOf } from "../../value/json.ts";
import type { Act } from "../run.ts";
import { type Keeps, listAt, passesAll } from "./filter.ts";

/** A loop that does several transforms at once; the members are in the order in which they are used on a row. */
export interface RowLoop<Column extends string = string> {
  /** The members that `add_attribute` sets, evaluated once for all rows. */
  readonly added?: () => JsonObject;
  /** Conditions of `filter` that give the same verdict before and after the other transforms: they are checked first. */
  readonly before?: Keeps;
  /** With `literal`: the columns that the query names. */
  readonly columns?: readonly Column[];
  /** Makes the new row when the database has sent exactly these columns, so that the members of the row need no check. */
  readonly literal?: (row: Readonly<Record<Column, Json>>, added: JsonObject) => JsonObject;
  /** Makes the new row from any other row. */
  readonly row: (row: JsonObject, added: JsonObject) => JsonObject;
  /** Conditions that are checked on the new row. */
  readonly after?: Keeps;
}

/**
 * Applies transforms to each row in one loop, with the same result as one transform after the other. The data is an object, or a list whose
 * objects are rows and whose other elements stay; any other data fails as in the first transform (feature.ts `MemberEdit`). With
 * `keep_attributes` an element that is not an object becomes an empty row.
 */
export function eachRow<const Column extends string>(act: Act, transforms: readonly string[], data: Json, loop: RowLoop<Column>): Json {
  const added = begun(act, transforms, data, loop);
  const { columns, literal, row } = loop;
  if (isObject(data)) return row(data, added);
  if (!Array.isArray(data)) return data;
  // The rows have exactly these columns, so they fit the type of `literal`.
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
  // Without conditions the length is known in advance, which makes the loop a tenth faster.
  if (before === undefined && after === undefined) return items.map((item) => (isObject(item) ? row(item, added) : other(item)));
  const out: Json[] = [];
  for (const item of items) {
    if (before !== undefined && !passesAll(before, item)) continue;
    const result = isObject(item) ? row(item, added) : other(item);
    if (after === undefined || passesAll(after, result)) out.push(result);
  }
  return out;
}

/**
 * Checks the transforms in order, and fails with the first one that cannot handle the data. Gives the members that `add_attribute` sets.
 */
function begun(act: Act, transforms: readonly string[], data: Json, { added }: Pick<RowLoop, "added">): JsonObject {
  let members: JsonObject = {};
  for (const transform of transforms) {
    act.step(transform, data);
    if (transform === "filter") listAt(data);
    else if (!Array.isArray(data) && !isObject(data)) throw new Failure("transform", `expected an object or array, found ${typeOf(data)}`);
    // A failure of an argument belongs to the transform that has the argument.
    if (transform === "add_attribute" && added !== undefined) members = added();
  }
  return members;
}
