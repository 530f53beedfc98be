import type { Matcher, RE2JS } from "re2js";
import { Failure } from "../value/failure.ts";

/** Characters that are read in some milliseconds, however far each match makes the engine read. */
const charactersOfSlice = 100_000;

/**
 * Characters that all matches together may lie apart from what the engine could read for each, before it is watched how far it does read.
 */
const unwatched = 10_000_000;

/**
 * Characters that are read beyond the ends of all matches. Most patterns read a few beyond each; `(a|b)*c|(a)` reads a text of `a` to its
 * end for each of them, to look for a `c`: a megabyte takes hours.
 */
const mostBeyond = 10_000_000;

/**
 * Beyond one match, this many do not count: what has no loops there reads no further, and JavaScript's engine does not say how far it
 * reads.
 */
const free = 1_000;

/** A match that reads nothing takes as long as some characters. */
const leastOfMatch = 20;

/** How many matches one of them stands for that is watched: a watched one takes several times as long. */
const stride = 16;

/** The matches of a pattern in a text, one after the other. What they cost together is bounded by what is read, and not by a clock. */
export class AllMatches {
  /** Where the search stands. */
  matcher: Matcher;
  readonly #text: string;
  readonly #engine: RE2JS;
  readonly #plain: Matcher;
  #watch: { readonly text: Watched; readonly matcher: Matcher } | undefined;
  #next = 0;
  /** Characters that the matches could have read, and those that the ones of this slice may have. */
  #possible = 0;
  #slice = 0;
  /** Characters that have lately been read beyond a match; undefined as long as none was watched. */
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

  /** Some matches are watched, always the same ones and without an order that a text could follow by chance. */
  #watched(): { readonly text: Watched; readonly matcher: Matcher } | undefined {
    if (this.#possible <= unwatched) return undefined;
    this.#draw = (Math.imul(this.#draw, 1_664_525) + 1_013_904_223) | 0;
    if (this.#draw >>> 28 !== 0) return undefined;
    if (this.#watch === undefined) {
      const text = new Watched(this.#text);
      // The engine takes an object of a text for a text, and reads it by these methods.
      this.#watch = { text, matcher: this.#engine.matcher(text as unknown as string) };
    }
    return this.#watch;
  }
}

const tooFar = `pattern reads more than ${mostBeyond} characters beyond its matches; what it looks for should not begin inside a repetition`;

/**
 * A text that knows how far it has been read. It is no subclass of `String`: one that has a `charCodeAt` of its own makes that of all texts
 * of the process three times as slow in V8.
 */
export class Watched {
  last = 0;
  readonly length: number;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
    this.length = text.length;
  }

  /** The engine asks an object by this whether it is a text. */
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
