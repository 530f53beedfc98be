import { isObject, type Json, type JsonObject, own } from "../../value/json.ts";
import { shown, type } from "./dump.ts";
import { sliceOf } from "./order.ts";
import { fail, giveUp, spend } from "./signals.ts";

/** `.["key"]` and `.[0]`: null where there is nothing. */
export function get(value: Json, key: string | number): Json {
  if (typeof value === "object" && value !== null) {
    if (typeof key === "string") {
      if (!Array.isArray(value)) return member(value, key);
    } else if (Array.isArray(value)) return element(value, key);
  }
  return value === null ? null : fail(`Cannot index ${type(value)} with ${shown(key)}`);
}

/**
 * A member of an object. Inherited members are functions, which data never holds, except `__proto__`: so only that name needs `hasOwn`,
 * which would make every read take four times as long.
 */
function member(object: JsonObject, key: string): Json {
  if (key === "__proto__") return own(object, key) ?? null;
  const value = object[key];
  return value === undefined || typeof value === "function" ? null : value;
}

/** `.a.b[0]`: one step after the other. The keys are one list, because a list that is written out costs less than rest arguments. */
export function path(value: Json, keys: readonly (string | number)[]): Json {
  let here = value;
  for (let i = 0; i < keys.length; i++) here = get(here, keys[i] ?? "");
  return here;
}

function element(list: readonly Json[], index: number): Json {
  if (!Number.isInteger(index)) giveUp();
  return list[index < 0 ? list.length + index : index] ?? null;
}

/** `.[f]`, whatever the key is. */
export function index(value: Json, key: Json): Json {
  if (typeof key === "string" || typeof key === "number") return get(value, key);
  if (typeof key === "object" && key !== null) return giveUp();
  return fail(`Cannot index ${type(value)} with ${shown(key)}`);
}

/** `.[from:to]` of a list or a text, whose characters are code points. */
export function slice(value: Json, from: Json, to: Json): Json {
  if (value === null) return null;
  if (typeof value !== "string" && !Array.isArray(value))
    return fail(`Cannot index ${type(value)} with ${shown({ start: from, end: to })}`);
  if (!isBound(from) || !isBound(to)) return fail("Array/string slice indices must be integers");
  const [first, end] = [from ?? 0, to ?? undefined];
  const part = typeof value === "string" ? characters(value).slice(first, end) : sliceOf(value, first, end);
  spend(part.length);
  return typeof value === "string" ? part.join("") : part;
}

function isBound(bound: Json): bound is number | null {
  if (typeof bound === "number" && !Number.isInteger(bound)) giveUp();
  return bound === null || typeof bound === "number";
}

/** The characters of a text, as code points. Half a pair of surrogates is not one of jq's characters. */
export function characters(text: string): string[] {
  // Each character becomes a text of its own.
  spend(text.length * 2);
  if (!text.isWellFormed()) giveUp();
  return [...text];
}

/** `.[]` of a list or an object. */
export function each(value: Json): readonly Json[] {
  const list = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : fail(`Cannot iterate over ${shown(value)}`);
  spend(list.length);
  return list;
}

/** `.[]?` */
export const eachIfAny = (value: Json): readonly Json[] => (typeof value === "object" && value !== null ? each(value) : []);

/** `map(f)` */
export function map(value: Json, change: (item: Json) => Json): Json {
  const list = each(value);
  const out: Json[] = [];
  for (let i = 0; i < list.length; i++) out.push(change(list[i] ?? null));
  return out;
}
