import type { Work } from "../threads/slices.ts";
import { Failure } from "../value/failure.ts";
import type { Json } from "../value/json.ts";

/** Characters that are written in a few milliseconds; each value counts as eight beside those of its texts. */
const piece = 262_144;

/** True when writing a value as JSON takes so long that others should have turns meanwhile. It looks at some thousand values at most. */
export const isLarge = (value: Json): boolean => roomAfter(value, piece) < 0;

/**
 * The room that is left behind a value; negative when the room is too small. Every answer is measured, so this function makes no list of
 * members, to be fast.
 */
function roomAfter(value: Json | undefined, room: number): number {
  let left = room - 8;
  if (typeof value === "string") return left - value.length;
  if (Array.isArray(value)) for (let i = 0; i < value.length && left >= 0; i++) left = roomBehind(value[i], left);
  else if (typeof value === "object") for (const name in value) if (left >= 0) left = roomBehind(value[name], left);
  return left;
}

/** The room behind one member. Most members are not objects, and are measured without a call. */
const roomBehind = (part: Json | undefined, room: number): number =>
  typeof part === "object" && part !== null ? roomAfter(part, room) : room - (typeof part === "string" ? 8 + part.length : 8);

/** The text that `JSON.stringify` gives, written in parts, between which others may have a turn. A text over the limit fails. */
export function* jsonWork(value: Json, longest: number): Work<string> {
  let text = "";
  for (const part of parts(value)) {
    text += part;
    if (text.length > longest) throw tooLong(longest);
    yield;
  }
  return text;
}

export const tooLong = (longest: number): Failure => new Failure("evaluation", `answer is over the limit of ${longest} characters`);

/** The parts of a text. Neighbours in a list that are not large are written together. */
function* parts(value: Json): Generator<string, void> {
  if (typeof value !== "object" || value === null || !isLarge(value)) yield JSON.stringify(value);
  else if (Array.isArray(value)) {
    for (let from = 0, to = 0; from < value.length; from = to) {
      for (let room = piece; to < value.length; to++) {
        room = roomAfter(value[to], room);
        if (room < 0) break;
      }
      yield from === 0 ? "[" : ",";
      if (to > from) yield JSON.stringify(value.slice(from, to)).slice(1, -1);
      else yield* parts(value[to++] ?? null);
    }
    yield "]";
  } else {
    let before = "{";
    for (const name of Object.keys(value)) {
      const member = value[name];
      if (member === undefined) continue;
      yield `${before}${JSON.stringify(name)}:`;
      yield* parts(member);
      before = ",";
    }
    yield before === "{" ? "{}" : "}";
  }
}
