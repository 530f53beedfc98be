import type { Matcher, RE2JS } from "re2js";
import { Failure } from "../value/failure.ts";

/** Characters that are read in some milliseconds, however far each match makes the engine read. */
const charactersOfSlice = 100_000;

/** Characters that all matches together may lie apart from what the engine could read for each, before it is watched how far it does read. */
const unwatched = 10_000_000;

/**
 * Characters that are read beyond the ends of all matches. Most patterns read a few beyond each; `(a|b)*c|(a)` reads a text of `a` to its end for each
 * of them, to look for a `c`: a megabyte takes hours.
 */
const mostBeyond = 10_000_000;

/** Beyond one match, this many do not count: what has no loops there reads no further, and JavaScript's engine does not say how far it reads. */
const free = 1_000;

/** The matches of a pattern in a text, one after the other. What they cost together is bounded by what is read, and not by a clock. */
export class AllMatches {
  readonly matcher: Matcher;
  readonly #text: string;
  #watched: Watched | undefined;
  #next = 0;
  /** The characters that the matches could have read, and how many of them the slice has. */
  #possible = 0;
  #slice = 0;
  #beyond = 0;

  constructor(engine: RE2JS, text: string) {
    this.#text = text;
    this.matcher = engine.matcher(text);
  }

  /** Goes to the next match; false when there is none. */
  find(): boolean {
    const { matcher } = this;
    if (this.#watched === undefined && this.#possible > unwatched) this.#watch();
    if (this.#watched !== undefined) this.#watched.last = 0;
    if (this.#next > this.#text.length || !matcher.find(this.#next)) return false;
    const [start, end] = [matcher.start(), matcher.end()];
    this.#slice += this.#text.length - start;
    this.#possible += this.#text.length - start;
    this.#beyond += Math.max(0, (this.#watched?.last ?? 0) - end - free);
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

  #watch(): void {
    this.#watched = new Watched(this.#text);
    // The engine takes an object of a text for a text, and reads it by these methods.
    this.matcher.resetMatcherInput(this.#watched as unknown as string);
  }
}

const tooFar = `pattern reads more than ${mostBeyond} characters beyond its matches; what it looks for should not begin inside a repetition`;

/** A text that knows how far it has been read. */
export class Watched extends String {
  last = 0;
  readonly #text: string;

  constructor(text: string) {
    super(text);
    this.#text = text;
  }

  override charCodeAt(index: number): number {
    if (index > this.last) this.last = index;
    return this.#text.charCodeAt(index);
  }
}
