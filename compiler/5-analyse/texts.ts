import { isObject, type Json } from "#runtime/value/json.ts";

/** A text of the author of a configuration: a whole literal, or a part of a text with markers, which may begin that. */
export interface AuthorText {
  readonly text: string;
  readonly is: "whole" | "start" | "rest";
}

const whole = (text: string): AuthorText => ({ text, is: "whole" });

/** The texts below, names of members included. Expressions are plain data, so a look through all of them misses none. */
export function textsIn(part: unknown): readonly AuthorText[] {
  if (Array.isArray(part)) return part.flatMap(textsIn);
  if (typeof part !== "object" || part === null) return [];
  if ("op" in part && part.op === "lit" && "value" in part) return stringsIn(part.value as Json).map(whole); // a literal holds JSON
  if ("op" in part && part.op === "text" && "parts" in part && Array.isArray(part.parts))
    return part.parts.flatMap((each, i) => (typeof each === "string" ? [{ text: each, is: i === 0 ? "start" : "rest" }] : textsIn(each)));
  if ("op" in part && part.op === "map" && "entries" in part && Array.isArray(part.entries))
    return part.entries.flat().flatMap((each: unknown) => (typeof each === "string" ? [whole(each)] : textsIn(each)));
  return Object.values(part).flatMap(textsIn);
}

function stringsIn(value: Json): readonly string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(stringsIn);
  return isObject(value) ? Object.entries(value).flatMap(([key, member]) => [key, ...stringsIn(member)]) : [];
}
