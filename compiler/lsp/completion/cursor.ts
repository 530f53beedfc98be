import type { Document } from "../../1-read/document.ts";
import { readAnyhow } from "../../1-read/index.ts";
import { type Place, placesIn } from "../../2-check/places.ts";
import { focusOn } from "../focus.ts";
import { languageOf } from "../language.ts";
import type { SourceFile } from "../source-file.ts";

/** A name in place of the word that is being written, so that the parsers find its place. It is so unusual that no real name equals it. */
export const cursorWord = "x0cursor0x";

/** The place at which the user writes, in a tree that has `cursorWord` there. */
export interface Cursor {
  readonly document: Document;
  readonly places: readonly Place[];
  /** The map that gets a key, or the scalar that is written. */
  readonly place: Place;
  readonly kind: "key" | "value";
  /** True when the place is inside an open marker. */
  readonly inMarker: boolean;
  /** The word that a completion replaces: with the characters of plain names in `word`, and with those of interface names in `name`. */
  readonly word: Replaced;
  readonly name: Replaced;
  /** True when the rest of the line already has a `:`. */
  readonly hasValue: boolean;
  /** True when a block on its own lines may follow. */
  readonly inBlock: boolean;
  /** The columns before a key at this place. */
  readonly column: number;
  /** The blank that an offer needs before it, right behind `key:` and `-`. */
  readonly lead: string;
}

/** A range of the line around the place. */
interface Replaced {
  readonly start: number;
  readonly end: number;
}

const word = { before: /(?:[\w$](?:[\w$]|-(?!>))*)?$/, after: /^(?:[\w$]|-(?!>))*/ };
const longName = { before: /[\w$./~:{}-]*$/, after: /^[\w$./~-]*/ };

/** Finds the place of an offset, in a text that may be broken; undefined where the language has no value, as in a comment. */
export function cursorAt(source: SourceFile, offset: number): Cursor | undefined {
  const { text } = source;
  const lineStart = text.lastIndexOf("\n", offset - 1) + 1;
  const lineEnd = lineEndOf(text, offset);
  const [before, after] = [text.slice(lineStart, offset), text.slice(offset, lineEnd)];
  const replaced = ({ before: left, after: right }: typeof word): Replaced => ({
    start: offset - (left.exec(before)?.[0].length ?? 0),
    end: offset + (right.exec(after)?.[0].length ?? 0),
  });
  const short = replaced(word);
  const open = openMarker(before);
  const rest = text.slice(short.end, lineEnd);
  const lead = bareMark.test(before) ? " " : "";
  const inBlock = /^\s*(?:- +)*(?:[\w$][\w$-]*)?$/.test(before + lead);
  const isKey = open === undefined && inBlock && /^\s*(?:#.*)?$/.test(rest);
  const filler = `${lead}${cursorWord}${isKey ? ":" : open === undefined ? "" : closingOf(before.slice(open), rest)}`;
  const whole = text.slice(0, short.start) + filler + text.slice(short.end);
  const focus = focusOn(whole, short.start);
  const spot = spotIn(focus.text, source, focus.offset) ?? spotIn(focus.text, source);
  return spot === undefined
    ? undefined
    : {
        ...spot,
        inMarker: open !== undefined,
        lead,
        word: short,
        name: replaced(longName),
        hasValue: /^\s*:/.test(rest),
        inBlock,
        column: short.start - lineStart + lead.length,
      };
}

/** A key or the mark of an item, without the blank that its value needs before it. */
const bareMark = /^(?:\s*(?:- +)*|.*[{,]\s*)[\w$-]+:$|^\s*(?:- +)*-$/;

type Spot = Pick<Cursor, "document" | "places" | "place" | "kind">;

function spotIn(text: string, { path, role }: SourceFile, here?: number): Spot | undefined {
  const document = readAnyhow(text, path, here);
  if (document === undefined) return undefined;
  const places = placesIn(document.root, languageOf(role, document.root));
  const spot = placeOf(places);
  return spot && { ...spot, document, places };
}

function lineEndOf(text: string, offset: number): number {
  const end = text.slice(offset).search(/[\r\n]/);
  return end < 0 ? text.length : offset + end;
}

function placeOf(places: readonly Place[]): Pick<Cursor, "place" | "kind"> | undefined {
  for (const place of places) {
    const { node } = place;
    if (node.kind === "map" && node.entries.some(({ key }) => key.includes(cursorWord))) return { place, kind: "key" };
    if (node.kind === "scalar" && typeof node.value === "string" && node.value.includes(cursorWord)) return { place, kind: "value" };
  }
  return undefined;
}

/** The index at which an unfinished marker begins. */
function openMarker(before: string): number | undefined {
  const starts = [...before.matchAll(/(?<![A-Za-z0-9_\\])a\|/g)].map(({ index }) => index);
  return starts.findLast((start) => bracketsIn(before.slice(start + 2)) !== undefined);
}

/** The brackets that a text opens and does not close; undefined if a pipe outside brackets ends the marker. */
function bracketsIn(text: string): string | undefined {
  let open = "";
  for (const [i, c] of [...text].entries()) {
    if (c === "|" && open === "" && text[i - 1] !== "\\") return undefined;
    const end = closes[c];
    if (end !== undefined) open = end + open;
    else if (c === open[0]) open = open.slice(1);
  }
  return open;
}

const closes: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

/** The text that ends the marker, if the rest of the line does not end it. */
function closingOf(marker: string, rest: string): string {
  const brackets = bracketsIn(marker.slice(2)) ?? "";
  const [behind = ""] = rest.split(/(?<![A-Za-z0-9_\\])a\|/);
  const own = behind.slice(0, Math.max(0, behind.indexOf("|")));
  const closed = own.replace(/[^)\]}]/g, "").length - own.replace(/[^([{]/g, "").length;
  return behind.includes("|") && closed === brackets.length && !/[\s"']/.test(own) ? "" : `${brackets}|`;
}
