import { isObject, type Json } from "#runtime/value/json.ts";

/** A text of the author of a configuration: a whole literal, or the start or another part of a text with markers. */
export interface AuthorText {
  readonly text: string;
  readonly is: "whole" | "start" | "rest";
}

const whole = (text: string): AuthorText => ({ text, is: "whole" });

/** All texts in a part of a plan, names of members included. Expressions are plain data, so the search finds all texts. */
export function textsIn(part: unknown): readonly AuthorText[] {
  const texts: AuthorText[] = [];
  gather(part, texts);
  return texts;
}

/** Adds the texts to one given list, which is fast although every part of every plan is searched. */
function gather(part: unknown, texts: AuthorText[]): void {
  if (typeof part !== "object" || part === null) return;
  if (Array.isArray(part)) {
    for (const each of part) gather(each, texts);
    return;
  }
  if ("op" in part && part.op === "lit" && "value" in part)
    gatherStrings(part.value as Json, texts); // a literal holds JSON
  else if ("op" in part && part.op === "text" && "parts" in part && Array.isArray(part.parts))
    for (const [i, each] of part.parts.entries()) {
      if (typeof each === "string") texts.push({ text: each, is: i === 0 ? "start" : "rest" });
      else gather(each, texts);
    }
  else if ("op" in part && part.op === "map" && "entries" in part && Array.isArray(part.entries))
    for (const each of part.entries.flat() as readonly unknown[]) {
      if (typeof each === "string") texts.push(whole(each));
      else gather(each, texts);
    }
  else for (const each of Object.values(part)) gather(each, texts);
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
