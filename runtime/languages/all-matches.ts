import type { Matcher, RE2JS } from "re2js";
import { Failure } from "../value/failure.ts";

/** Characters of one slice, which takes some milliseconds. */
const charactersOfSlice = 100_000;

/**
 * Most characters that all matches together could have read, each to the end of the text. Beyond it some matches are watched, to see how
 * many characters they really read.
 */
const unwatched = 10_000_000;

/**
 * Characters that may be read beyond the ends of all matches. Most patterns read only a few beyond each match. But `(a|b)*c|(a)` reads a
 * text of many `a` to its end for each match, to look for a `c`: a megabyte would take hours.
 */
const mostBeyond = 10_000_000;

/**
 * Characters beyond a match that do not count: a pattern without loops there reads no further, and JavaScript's engine does not report how
 * far it reads.
 */
const free = 1_000;

/** The least cost of a match, in characters: a match that reads nothing still takes time. */
const leastOfMatch = 20;

/** One match in this many is watched and stands for the others, because watching makes a match several times as slow. */
const stride = 16;

/** Finds the matches of a pattern in a text, one after the other. The number of characters that are read bounds the work, not a clock. */
export class AllMatches {
  /** The place of the search in the text. */
  matcher: Matcher;
  readonly #text: string;
  readonly #engine: RE2JS;
  readonly #plain: Matcher;
  #watch: { readonly text: Watched; readonly matcher: Matcher } | undefined;
  #next = 0;
  /** Characters that all matches could have read so far, and those that the matches of this slice could read. */
  #possible = 0;
  #slice = 0;
  /** Characters that the last watched match has read beyond its end; undefined as long as no match was watched. */
  #usual: number | undefined;
  #beyond = 0;
  #draw = 1;

  constructor(engine: RE2JS, text: string) {
    this.#text = text;
    this.#engine = engine;
    this.#plain = engine.matcher(text);
    this.matcher = this.#plain;
  }

  /** Goes to the next match; false when there is none. */
  find(): boolean {
    const watched = this.#watched();
    const matcher = watched?.matcher ?? this.#plain;
    this.matcher = matcher;
    if (watched !== undefined) watched.text.last = 0;
    if (this.#next > this.#text.length || !matcher.find(this.#next)) return false;
    const [start, end] = [matcher.start(), matcher.end()];
    const possible = this.#text.length - start;
    this.#possible += possible;
    if (watched !== undefined) {
      const beyond = Math.max(0, watched.text.last - end);
      this.#beyond += Math.max(0, beyond - free) * stride;
      this.#usual = Math.max(beyond, this.#usual === undefined ? 0 : this.#usual / 2);
    }
    this.#slice += end - start + leastOfMatch + Math.min(possible, this.#usual ?? possible);
    if (this.#beyond > mostBeyond) throw new Failure("transform", tooFar);
    this.#next = end > start ? end : end + ((this.#text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1);
    return true;
  }

  /** True when others may have a turn. */
  isSliceOver(): boolean {
    if (this.#slice < charactersOfSlice) return false;
    this.#slice = 0;
    return true;
  }

  /**
   * The watched text and its matcher, for a match that is watched; otherwise undefined. The draw is the same in every run, and spread so
   * that no text can avoid it by chance.
   */
  #watched(): { readonly text: Watched; readonly matcher: Matcher } | undefined {
    if (this.#possible <= unwatched) return undefined;
    this.#draw = (Math.imul(this.#draw, 1_664_525) + 1_013_904_223) | 0;
    if (this.#draw >>> 28 !== 0) return undefined;
    if (this.#watch === undefined) {
      const text = new Watched(this.#text);
      // The engine takes the object for a text, and reads it by the methods of `Watched`.
      this.#watch = { text, matcher: this.#engine.matcher(text as unknown as string) };
    }
    return this.#watch;
  }
}

const tooFar = `pattern reads more than ${mostBeyond} characters beyond its matches; what it looks for should not begin inside a repetition`;

/**
 * A text that records how far it has been read. It does not extend `String`: a subclass with a `charCodeAt` of its own makes `charCodeAt`
 * of every text in the process three times as slow in V8.
 */
export class Watched {
  last = 0;
  readonly length: number;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
    this.length = text.length;
  }

  /** The engine calls this method to ask whether the object is a text. */
  get [Symbol.toStringTag](): string {
    return "String";
  }

  charCodeAt(index: number): number {
    if (index > this.last) this.last = index;
    return this.#text.charCodeAt(index);
  }

  indexOf(part: string, from: number): number {
    return this.#text.indexOf(part, from);
  }

  substring(start: number, end: number): string {
    return this.#text.substring(start, end);
  }

  toString(): string {
    return this.#text;
  }
}
