import { isObject, type Json } from "#runtime/value/json.ts";
import { isExpr, partsOf } from "../4-plan/markers/mentions.ts";

/** A text of the author of a configuration: a whole literal, or the start or another part of a text with markers. */
export interface AuthorText {
  readonly text: string;
  readonly is: "whole" | "start" | "rest";
}

const whole = (text: string): AuthorText => ({ text, is: "whole" });

/** All texts in a part of a plan, names of members included. */
export function textsIn(part: unknown): readonly AuthorText[] {
  const texts: AuthorText[] = [];
  gather(part, texts);
  return texts;
}

/** Adds the texts to one given list, which is fast although every part of every plan is searched. */
function gather(part: unknown, texts: AuthorText[]): void {
  if (isExpr(part, "lit")) gatherStrings(part.value, texts);
  else if (isExpr(part, "text"))
    for (const [i, each] of part.parts.entries()) {
      if (typeof each === "string") texts.push({ text: each, is: i === 0 ? "start" : "rest" });
      else gather(each, texts);
    }
  else if (isExpr(part, "map"))
    for (const each of part.entries.flat()) {
      if (typeof each === "string") texts.push(whole(each));
      else gather(each, texts);
    }
  else for (const each of partsOf(part)) gather(each, texts);
}

function gatherStrings(value: Json, texts: AuthorText[]): void {
  if (typeof value === "string") texts.push(whole(value));
  else if (Array.isArray(value)) for (const each of value) gatherStrings(each, texts);
  else if (isObject(value))
    for (const [key, member] of Object.entries(value)) {
      texts.push(whole(key));
      gatherStrings(member, texts);
    }
}
