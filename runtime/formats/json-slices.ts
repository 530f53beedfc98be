import { randomBytes } from "node:crypto";
import type { Work } from "../threads/slices.ts";
import { type Json, type JsonObject, put } from "../value/json.ts";

/** Characters that are parsed at once. The parser needs a third of a second for a million different short texts. */
const slice = 1_048_576;

/** A list or an object that is open where a slice ends. */
interface Open {
  /** The bracket that closes it. */
  readonly end: "]" | "}";
  value: Json[] | JsonObject;
  /** The place of the name of the member that is being read. */
  name: readonly [from: number, to: number];
}

/**
 * The name under which a slice goes on with an object of the slice before. It is random, so that no sender can have a member of this name.
 */
const goesOn = `goes on ${randomBytes(8).toString("hex")}`;

/**
 * Parses a long JSON text as `JSON.parse` does, slice by slice; undefined when it is no JSON. A slice ends at any comma. It is completed by
 * the brackets of the lists and objects that are open around it, parsed, and its members are added to these lists and objects.
 */
export function* parseInSlices(text: string, length = slice): Work<Json | undefined> {
  const open: Open[] = [];
  let whole: Json | undefined;
  // `around` are the values that were open when the slice began, and `still` counts those of them that are open yet. `last` is where the
  // last text stands.
  let [around, still, from, last]: [readonly Open[], number, number, Open["name"]] = [[], 0, 0, [0, 0]];
  for (let at = 0; at <= text.length; at++) {
    const character = text[at];
    if (character === '"') {
      const start = at;
      while (++at < text.length && text[at] !== '"') if (text[at] === "\\") at += 1;
      last = [start, at + 1];
    } else if (character === "[") open.push({ end: "]", value: [], name: last });
    else if (character === "{") open.push({ end: "}", value: {}, name: last });
    else if (character === "]" || character === "}") {
      if (open.pop()?.end !== character) return undefined;
      still = Math.min(still, open.length);
    } else if (character === ":") {
      const inner = open.at(-1);
      if (inner !== undefined) inner.name = last;
    }
    const isEnd = at >= text.length;
    if (!isEnd && (character !== "," || (open.length > 0 && at - from < length))) continue;
    const part = text.slice(from, at);
    // A comma outside of brackets is a mistake, and the brackets that are put around a slice would hide a comma too many.
    const hides = (from > 0 && /^\s*(?:[\]}]|$)/.test(part)) || (!isEnd && /[[{]\s*$/.test(part.slice(-1000)));
    if (isEnd !== (open.length === 0) || hides) return undefined;
    try {
      const parsed: Json = JSON.parse(
        opened(around) +
          part +
          open
            .map(({ end }) => end)
            .reverse()
            .join(""),
      );
      if (whole === undefined) whole = parsed;
      else add(around, parsed);
      follow(open, still, whole, text);
    } catch {
      return undefined;
    }
    if (isEnd) break;
    yield;
    around = [...open];
    still = open.length;
    from = at + 1;
  }
  return whole;
}

/** The text before a slice: it opens the values around, each as the first member of the one before it. */
const opened = (around: readonly Open[]): string =>
  around.map(({ end }, i) => (end === "]" ? "[" : i === around.length - 1 ? "{" : `{"${goesOn}":`)).join("");

/** Adds the members of a slice to the values that were open, from the outermost to the innermost. */
function add(around: readonly Open[], parsed: Json): void {
  let here = parsed as Json[] | JsonObject; // the slice was parsed between such brackets
  around.forEach(({ value }, i) => {
    const isInnermost = i === around.length - 1;
    let inner: Json | undefined;
    for (const [key, member] of Array.isArray(here) ? here.entries() : Object.entries(here)) {
      if (!isInnermost && (key === 0 || key === goesOn)) inner = member;
      else if (Array.isArray(value)) value.push(member);
      else put(value, String(key), member);
    }
    here = inner as typeof here;
  });
}

/** Finds the values that are open at the end of a slice: each is the last member of the one around. */
function follow(open: readonly Open[], still: number, whole: Json, text: string): void {
  for (let i = still; i < open.length; i++) {
    const around = open[i - 1];
    const members = around?.value;
    const inner = Array.isArray(members) ? members.at(-1) : members?.[JSON.parse(text.slice(...(around?.name ?? [0])))];
    const here = open[i];
    if (here !== undefined) here.value = (around === undefined ? whole : inner) as Open["value"]; // the bracket says so
  }
}
