import type { Work } from "../threads/slices.ts";
import { Failure } from "../value/failure.ts";
import { type Json, type JsonObject, own, put } from "../value/json.ts";
import { xmlEvents } from "./xml-syntax.ts";

/** An element that is being read. */
interface Element {
  readonly name: string;
  readonly members: JsonObject;
  text: string;
}

/** Most different names of elements and attributes: a new name takes as long as ten repeated ones. */
const mostNames = 200_000;

/** Tags, texts and attributes that are read in about a millisecond. */
const partsOfSlice = 1_000;

/**
 * The root element of a document, by its name. An element is an object of its attributes, as `@name`, and its children, where children of
 * one name are a list; its text is `#text` beside those, else the value itself. All values are text, without white space around it.
 */
export function* rootOf(document: string): Work<JsonObject> {
  const names = new Set<string>();
  let parts = 0;
  const around: JsonObject = {};
  const open: Element[] = [];
  for (const event of xmlEvents(document)) {
    parts += 1 + (event.kind === "open" ? event.attributes.size : event.kind === "text" ? event.text.length >> 3 : 0);
    if (parts >= partsOfSlice) {
      parts = 0;
      if (names.size > mostNames) throw new Failure("transform", `invalid XML: more than ${mostNames} different names`);
      yield;
    }
    if (event.kind === "open") {
      names.add(event.name);
      const members: JsonObject = {};
      for (const [name, value] of event.attributes) put(members, `@${name}`, trimmed(value));
      open.push({ name: event.name, members, text: "" });
      continue;
    }
    const here = open.at(-1);
    if (here === undefined) continue;
    if (event.kind === "text") here.text += event.text;
    else if (event.kind === "close") {
      open.pop();
      add(open.at(-1)?.members ?? around, here.name, contentOf(here));
    }
  }
  return around;
}

function contentOf({ members, text }: Element): Json {
  const own = trimmed(text);
  if (Object.keys(members).length === 0) return own;
  return own === "" ? members : { ...members, "#text": own };
}

/** A text without the white space of XML around it; a space that does not break is none. */
function trimmed(text: string): string {
  let [from, to] = [0, text.length];
  while (from < to && isBlank(text[from])) from += 1;
  while (to > from && isBlank(text[to - 1])) to -= 1;
  return text.slice(from, to);
}

const isBlank = (character: string | undefined): boolean =>
  character === " " || character === "\n" || character === "\t" || character === "\r";

function add(members: JsonObject, name: string, value: Json): void {
  const before = own(members, name);
  if (before === undefined) put(members, name, value);
  else if (Array.isArray(before)) before.push(value);
  else put(members, name, [before, value]);
}
