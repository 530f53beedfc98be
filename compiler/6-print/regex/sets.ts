// Sets of characters as JavaScript writes them for the flag `u`, with the meaning that RE2 gives them: `\d`, `\w` and `\s` are ASCII.

/** A range of characters, both ends included. */
export interface Range {
  readonly from: string;
  readonly to: string;
}

/** One piece between brackets: a range, or a set with a name, such as `d` or `W`. */
export type Item = Range | { readonly named: string };

/** The characters that are blanks for RE2. */
const blanks = "\\t\\n\\f\\r ";
const noBlanks = "\\0-\\x08\\x0b\\x0e-\\x1f!-\\u{10ffff}";

/** A set as JavaScript. With `caseless` every letter stands in both forms; undefined when a letter has forms beyond ASCII. */
export function setOf(items: readonly Item[], isNegated: boolean, caseless: boolean): string | undefined {
  const [only] = items;
  if (only !== undefined && items.length === 1 && !caseless) {
    if ("named" in only && only.named !== "s" && only.named !== "S") return isNegated ? `[^\\${only.named}]` : `\\${only.named}`;
    if ("named" in only) return (only.named === "s") === isNegated ? `[^${blanks}]` : `[${blanks}]`;
    if (only.from === only.to && !isNegated) return escaped(only.from);
  }
  const pieces = items.map((item) => (caseless ? caselessItem(item) : plainItem(item)));
  if (pieces.includes(undefined)) return undefined;
  const text = pieces.join("");
  return caseless && !isNegated && only !== undefined && items.length === 1 && isCaseless(only)
    ? alone(only)
    : `[${isNegated ? "^" : ""}${text}]`;
}

/** The set of every character, and below it the set of every character but the line end. */
export const anySet = "[^]";
export const lineSet = "[^\\n]";

function plainItem(item: Item): string {
  if (!("named" in item)) return ranged(item.from, item.to);
  return item.named === "s" ? blanks : item.named === "S" ? noBlanks : `\\${item.named}`;
}

/** Letters that RE2 treats as forms of an ASCII letter, besides its other case: the long s and the sign of Kelvin. */
const more: Readonly<Record<string, string>> = { s: "\\u017f", k: "\\u212a" };

function caselessItem(item: Item): string | undefined {
  if ("named" in item) return item.named === "w" ? `\\w${more.s}${more.k}` : item.named === "W" ? undefined : plainItem(item);
  const { from, to } = item;
  if (to > "\x7f") return undefined;
  const upper = overlap(from, to, "A", "Z");
  const lower = overlap(from, to, "a", "z");
  const others = [
    ...(upper === undefined ? [] : [ranged(upper.from.toLowerCase(), upper.to.toLowerCase())]),
    ...(lower === undefined ? [] : [ranged(lower.from.toUpperCase(), lower.to.toUpperCase())]),
    ...Object.entries(more).flatMap(([letter, forms]) =>
      [letter, letter.toUpperCase()].some((each) => from <= each && each <= to) ? [forms] : [],
    ),
  ];
  return `${ranged(from, to)}${others.join("")}`;
}

function overlap(from: string, to: string, first: string, last: string): Range | undefined {
  const both = { from: from > first ? from : first, to: to < last ? to : last };
  return both.from > both.to ? undefined : both;
}

/** True for a character that has no case. */
const isCaseless = (item: Item): item is Range => !("named" in item) && item.from === item.to && !/[A-Za-z]/.test(item.from);

const alone = ({ from }: Range): string => escaped(from);

const ranged = (from: string, to: string): string => (from === to ? inSet(from) : `${inSet(from)}-${inSet(to)}`);

const controls: Readonly<Record<string, string>> = { "\t": "\\t", "\n": "\\n", "\v": "\\v", "\f": "\\f", "\r": "\\r" };

function plain(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return controls[character] ?? (code < 0x20 ? `\\x${code.toString(16).padStart(2, "0")}` : character);
}

const escaped = (character: string): string => (/[$()*+./?[\\\]^{|}]/.test(character) ? `\\${character}` : plain(character));
const inSet = (character: string): string => (/[-/[\\\]^]/.test(character) ? `\\${character}` : plain(character));
