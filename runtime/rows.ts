import type { Act } from "./act.ts";
import { Failure } from "./failure.ts";
import { isObject, type Json, type JsonObject, typeOf } from "./json.ts";

/** Makes the new row; `added` holds the members that `add_attribute` sets, evaluated once for all rows. */
type Edit = (row: JsonObject, added: JsonObject) => JsonObject;

/**
 * What the transforms give one after the other, in one loop: the data is an object, or a list whose objects are rows and whose other elements stay.
 * Anything else fails as the first of them does (feature.ts `MemberEdit`).
 */
export function each_row(act: Act, transforms: readonly string[], data: Json, edit: Edit, added?: () => JsonObject): Json {
  return inRows(act, transforms, data, edit, (item) => item, added);
}

/** The same where the last transform is `keep_attributes`: what is no object has none of the members, and becomes empty. */
export function each_kept_row(act: Act, transforms: readonly string[], data: Json, edit: Edit, added?: () => JsonObject): Json {
  return inRows(act, transforms, data, edit, (item) => (Array.isArray(item) ? [] : {}), added);
}

function inRows(
  act: Act,
  transforms: readonly string[],
  data: Json,
  edit: Edit,
  other: (item: Json) => Json,
  added: (() => JsonObject) | undefined,
): Json {
  let members: JsonObject = {};
  for (const [i, transform] of transforms.entries()) {
    act.step(transform, data);
    if (i === 0 && !Array.isArray(data) && !isObject(data))
      throw new Failure("transform", `expected an object or array, found ${typeOf(data)}`);
    // A failure of an argument is one of the transform that has it.
    if (transform === "add_attribute" && added !== undefined) members = added();
  }
  if (isObject(data)) return edit(data, members);
  return Array.isArray(data) ? data.map((item) => (isObject(item) ? edit(item, members) : other(item))) : data;
}
