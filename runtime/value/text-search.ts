/** Characters that decide whether it is worth to compare: no text that is looked for is shorter. */
export const leastLength = 6;

/** A part of a text: from one character to the one before another. */
export type Place = readonly [from: number, to: number];

/** A base for the number of a window; any large odd number serves. */
const base = 0x01000193;

/** The base to the power of `leastLength`, as `Math.imul` multiplies. */
const basePower = 0xfc55f7f9;

/** Texts that are compared one by one. */
const few = 4;

/** Texts that begin alike: a few of them, the longest first, or more, taken apart by the first character in which they differ. */
type Branch =
  | { readonly texts: readonly string[] }
  | { readonly at: number; readonly next: ReadonlyMap<number, Branch>; readonly whole: string | undefined };

/**
 * Looks for many texts in another one, in any case. It goes through the text once, however many are looked for: a pattern of so many
 * alternatives takes longer with each of them, and an engine refuses it when they are long.
 */
export class TextSearch {
  /** The texts by the number of their first characters. */
  readonly #byStart = new Map<number, Branch>();
  /** Marks the numbers of the starts, and by chance a few others: the look at most windows of a text ends here. */
  readonly #marks: Uint8Array;
  /** Characters of the longest text. */
  readonly longest: number;

  constructor(texts: Iterable<string>) {
    const folded = [...new Set(Array.from(texts, fold))].sort((a, b) => b.length - a.length);
    const starts = Map.groupBy(folded, (text) => numberOf(text.slice(0, leastLength)));
    this.#marks = new Uint8Array(2 ** (4 + Math.ceil(Math.log2(starts.size + 1))));
    for (const [number, alike] of starts) {
      this.#byStart.set(number, branchOf(alike));
      this.#marks[markOf(number, this.#marks)] = 1;
    }
    this.longest = folded[0]?.length ?? 0;
  }

  /** Where the texts are, in order and none inside another: the first that begins, and of those that begin together the longest. */
  places(text: string): readonly Place[] {
    const marks = this.#marks;
    const places: Place[] = [];
    let number = 0;
    let begin = 0;
    for (let at = 0; at < text.length; at++) {
      number = (Math.imul(number, base) + foldCode(text.charCodeAt(at))) | 0;
      const from = at + 1 - leastLength;
      if (from > begin) number = (number - Math.imul(basePower, foldCode(text.charCodeAt(from - 1)))) | 0;
      if (from < begin || marks[markOf(number, marks)] === 0) continue;
      const branch = this.#byStart.get(number);
      const length = branch === undefined ? 0 : lengthAt(branch, text, from);
      if (length === 0) continue;
      begin = from + length;
      places.push([from, begin]);
      at = begin - 1;
      number = 0;
    }
    return places;
  }
}

const markOf = (number: number, marks: Uint8Array): number => Math.imul(number ^ (number >>> 15), 0x9e3779b1) & (marks.length - 1);

function numberOf(start: string): number {
  let number = 0;
  for (let at = 0; at < start.length; at++) number = (Math.imul(number, base) + start.charCodeAt(at)) | 0;
  return number;
}

function branchOf(texts: readonly string[]): Branch {
  const [first = "", ...others] = texts;
  if (others.length < few) return { texts };
  let at = 0;
  while (others.every((text) => text.charCodeAt(at) === first.charCodeAt(at))) at++;
  const next = Map.groupBy(
    texts.filter((text) => text.length > at),
    (text) => text.charCodeAt(at),
  );
  return {
    at,
    next: new Map([...next].map(([code, longer]) => [code, branchOf(longer)])),
    whole: texts.find((text) => text.length === at),
  };
}

/** The length of the longest text of the branch that stands at a place; 0: none does. */
function lengthAt(branch: Branch, text: string, from: number): number {
  if ("texts" in branch) return branch.texts.find((each) => standsAt(each, text, from))?.length ?? 0;
  const next = branch.next.get(foldCode(text.charCodeAt(from + branch.at)));
  const length = next === undefined ? 0 : lengthAt(next, text, from);
  if (length > 0 || branch.whole === undefined) return length;
  return standsAt(branch.whole, text, from) ? branch.whole.length : 0;
}

function standsAt(folded: string, text: string, from: number): boolean {
  if (from + folded.length > text.length) return false;
  for (let at = 0; at < folded.length; at++) if (folded.charCodeAt(at) !== foldCode(text.charCodeAt(from + at))) return false;
  return true;
}

/** The text in small letters, with as many characters as it has. Letters beyond the first plane (Deseret) stay as they are. */
export function fold(text: string): string {
  if (!/[\u0080-\uffff]/.test(text)) return text.toLowerCase();
  let folded = "";
  for (let at = 0; at < text.length; at++) folded += String.fromCharCode(foldCode(text.charCodeAt(at)));
  return folded;
}

/** The code of the small letter, NaN behind the end of a text. */
function foldCode(code: number): number {
  if (!(code >= 128)) return code >= 65 && code <= 90 ? code + 32 : code;
  smallLetters ??= Uint16Array.from({ length: 65_536 }, (_, each) => smallLetter(String.fromCharCode(each)).charCodeAt(0));
  return smallLetters[code] ?? Number.NaN;
}

/** The small letter of each code, made when a text first has a letter that is not Latin. */
let smallLetters: Uint16Array | undefined;

/** Goes by way of the capital, since two small letters may share it. A letter that would become several stays, but for the Turkish I. */
function smallLetter(letter: string): string {
  const small = letter.toUpperCase().toLowerCase();
  if (small.length === 1) return small;
  return letter === "\u0130" ? "i" : letter;
}
