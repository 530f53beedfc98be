/** A comparison begins when this many characters match; shorter texts are never looked for. */
export const leastLength = 6;

/** Characters that must match at the end of an excerpt: fewer, such as `https://`, may be the beginning of many texts. */
const leastCut = 12;

/** Characters of an excerpt that has no dots behind it, as in `cannot convert "…"` of `numerics`. */
const plainCut = 40;

/**
 * Most comparisons: so many for each character of a text, and a constant number for any text. In a text that repeats a part of a secret,
 * each place looks like its beginning.
 */
const mostCompared = { each: 32, any: 10_000 } as const;

/** A part of a text: from one character to the one before another. */
export type TextRange = readonly [from: number, to: number];

/** A base for the number of a window; any large odd number serves. */
const base = 0x01000193;

/** The base to the power of `leastLength`, as `Math.imul` multiplies. */
const basePower = 0xfc55f7f9;

/**
 * Looks for many texts in another one, in any case. It goes through the text once for all of them. A pattern with all texts as alternatives
 * would take longer with each of them, and engines refuse very long patterns.
 */
export class TextSearch {
  /** The texts by the number of their first characters, in order. */
  readonly #byStart: ReadonlyMap<number, readonly string[]>;
  /**
   * A filter for the numbers of beginnings: it may accept a wrong number by chance, but never rejects a right one. It rejects most windows
   * of a text.
   */
  readonly #marks: Uint8Array;
  /** Characters of the longest text. */
  readonly longest: number;

  constructor(texts: Iterable<string>) {
    const folded = [...new Set(Array.from(texts, fold))].sort();
    this.#byStart = Map.groupBy(folded, (text) => numberOf(text.slice(0, leastLength)));
    this.#marks = new Uint8Array(2 ** (4 + Math.ceil(Math.log2(this.#byStart.size + 1))));
    for (const number of this.#byStart.keys()) this.#marks[markOf(number, this.#marks)] = 1;
    this.longest = folded.reduce((most, { length }) => Math.max(most, length), 0);
  }

  /**
   * The places of the texts, in order and without overlaps: the first one that begins, and the longest of those that begin together. At the
   * end of an excerpt the beginning of a text counts, too. A text that takes too many comparisons is one place as a whole, so that no
   * secret in it can be overlooked.
   */
  places(text: string): readonly TextRange[] {
    const folded = fold(text);
    const marks = this.#marks;
    const places: TextRange[] = [];
    let number = 0;
    let begin = 0;
    const work = { left: mostCompared.any + mostCompared.each * folded.length };
    for (let at = 0; at < folded.length; at++) {
      number = (Math.imul(number, base) + folded.charCodeAt(at)) | 0;
      const from = at + 1 - leastLength;
      if (from > begin) number = (number - Math.imul(basePower, folded.charCodeAt(from - 1))) | 0;
      if (from < begin || marks[markOf(number, marks)] === 0) continue;
      const length = lengthAt(this.#byStart.get(number) ?? [], folded, from, work);
      if (work.left < 0) return [[0, text.length]];
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

/** The length of the longest text found at `from`, or of the part of one that an excerpt still shows; 0 when there is none. */
function lengthAt(texts: readonly string[], text: string, from: number, work: { left: number }): number {
  let whole = 0;
  let same = 0;
  // `texts[low]` up to `texts[high - 1]` agree with `text` so far.
  for (let low = 0, high = texts.length; ; same++) {
    if (texts[low]?.length === same) {
      whole = same;
      low += 1;
    }
    const code = text.charCodeAt(from + same);
    if (low >= high || Number.isNaN(code)) break;
    if (texts[low]?.charCodeAt(same) !== code || texts[high - 1]?.charCodeAt(same) !== code) {
      low = firstFrom(texts, [low, high], same, code);
      high = firstFrom(texts, [low, high], same, code + 1);
      if (low >= high) break;
    }
    if (--work.left < 0) break;
  }
  return same >= leastCut && isCut(text.slice(from + same, from + same + 3), same) ? same : whole;
}

const isCut = (rest: string, same: number): boolean => /^(?:…|\.{3})/.test(rest) || (same >= plainCut && rest.startsWith('"'));

/** The index of the first text in a range whose character at `at` has this code or a higher one. */
function firstFrom(texts: readonly string[], [first, last]: TextRange, at: number, code: number): number {
  let [low, high] = [first, last];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((texts[middle]?.charCodeAt(at) ?? 0) < code) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The text in small letters, with as many characters as it has. Letters beyond the first plane (Deseret) stay as they are. */
export function fold(text: string): string {
  if (!/[\u0080-\uffff]/.test(text)) return text.toLowerCase();
  // At the end of a word the small sigma has a form of its own.
  const small = text.toUpperCase().toLowerCase().replaceAll("\u03c2", "\u03c3");
  return small.length === text.length ? small : text.replace(/[\u0131\u1fbe\u13a0-\u13f5\p{CWCF}]/gu, smallLetter);
}

/**
 * The small letter of the capital, since two small letters may have one capital. A letter whose small form has several characters stays,
 * except the Turkish I.
 */
function smallLetter(letter: string): string {
  const small = letter.toUpperCase().toLowerCase();
  if (small.length === 1) return small;
  return letter === "\u0130" ? "i" : letter;
}
