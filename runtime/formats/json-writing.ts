import type { Work } from "../threads/slices.ts";
import { Failure } from "../value/failure.ts";
import type { Json } from "../value/json.ts";

/** Characters that are written in a few milliseconds; each value counts as eight beside those of its texts. */
const piece = 262_144;

/** Levels that are written part by part. A level below them is written with all that is in it. */
const levels = 256;

/** True when writing a value as JSON takes so long that others should have turns meanwhile. It looks at some thousand values at most. */
export const isLarge = (value: Json): boolean => roomAfter(value, piece) < 0;

/** The room that a value leaves; negative when it has not enough. */
function roomAfter(value: Json, room: number): number {
  if (typeof value === "string") return room - value.length - 8;
  let left = room - 8;
  if (typeof value !== "object" || value === null) return left;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length && left >= 0; i++) left = roomAfter(value[i] ?? null, left);
    return left;
  }
  for (const name in value) {
    left = roomAfter(value[name] ?? null, left - name.length);
    if (left < 0) break;
  }
  return left;
}

/** The text that `JSON.stringify` gives, written in parts, between which others may have a turn. A text over the limit fails. */
export function* jsonWork(value: Json, longest: number): Work<string> {
  let text = "";
  for (const part of parts(value, levels)) {
    text += part;
    if (text.length > longest) throw tooLong(longest);
    yield;
  }
  return text;
}

export const tooLong = (longest: number): Failure => new Failure("evaluation", `answer is over the limit of ${longest} characters`);

function* parts(value: Json, level: number): Generator<string, void> {
  if (level === 0 || typeof value !== "object" || value === null || !isLarge(value)) yield JSON.stringify(value);
  else if (Array.isArray(value)) yield* partsOfList(value, level);
  else {
    let before = "{";
    for (const name of Object.keys(value)) {
      const member = value[name];
      if (member === undefined) continue;
      yield `${before}${JSON.stringify(name)}:`;
      yield* parts(member, level - 1);
      before = ",";
    }
    yield before === "{" ? "{}" : "}";
  }
}

/** Elements that are not large are written together. */
function* partsOfList(list: readonly Json[], level: number): Generator<string, void> {
  for (let from = 0, to = 0; from < list.length; from = to) {
    for (let room = piece; to < list.length; to++) {
      room = roomAfter(list[to] ?? null, room);
      if (room < 0) break;
    }
    yield from === 0 ? "[" : ",";
    if (to > from) yield JSON.stringify(list.slice(from, to)).slice(1, -1);
    else yield* parts(list[to++] ?? null, level - 1);
  }
  yield "]";
}
