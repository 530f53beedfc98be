import { present } from "../../present.ts";
import { anySet, type Item, lineSet, setOf } from "./sets.ts";
import type { Pattern, Sequence, Term } from "./tree.ts";

/** A value that is thrown and caught only in this file, when a pattern is not in the subset. */
const outside = Symbol("outside the subset");

/**
 * Reads a pattern that the engine of the runtime accepts, after its rewriting (runtime/languages/regex-syntax.ts). Undefined when a part of
 * it is unknown to JavaScript, or may have another meaning there.
 */
export function parsePattern(text: string): Pattern | undefined {
  const [flags = ""] = /^(?:\(\?[is]+\))*/.exec(text) ?? [];
  const reader = new Reader(text.slice(flags.length), flags.includes("i"), flags.includes("s"));
  try {
    return reader.whole();
  } catch (thrown) {
    if (thrown === outside) return undefined;
    throw thrown;
  }
}

/** Edges by the letter behind a backslash. */
const edges: Readonly<Record<string, "^" | "$" | "\\b">> = { A: "^", b: "\\b", z: "$" };

class Reader {
  /** The text as a list of code points. */
  readonly #text: readonly string[];
  readonly #caseless: boolean;
  readonly #dot: string;
  #at = 0;

  constructor(text: string, caseless: boolean, dotAll: boolean) {
    this.#text = Array.from(text);
    this.#caseless = caseless;
    this.#dot = dotAll ? anySet : lineSet;
  }

  whole(): Pattern {
    const pattern = this.#pattern();
    if (this.#at < this.#text.length) throw outside;
    return pattern;
  }

  #pattern(): Pattern {
    const branches: Sequence[] = [this.#sequence()];
    while (this.#take("|")) branches.push(this.#sequence());
    return branches;
  }

  #sequence(): Sequence {
    const terms: Term[] = [];
    for (let next = this.#peek(); next !== undefined && next !== "|" && next !== ")"; next = this.#peek())
      terms.push(this.#repeated(this.#term()));
    return terms;
  }

  #term(): Term {
    const character = this.#next();
    switch (character) {
      case "^":
      case "$":
        return { kind: "edge", text: character };
      case ".":
        return { kind: "set", text: this.#dot };
      case "(":
        return this.#group();
      case "[":
        return this.#set(...this.#brackets());
      case "\\":
        return this.#escape();
      case "*":
      case "+":
      case "?":
      case "{":
        throw outside;
      default:
        return this.#set([{ from: character, to: character }], false);
    }
  }

  #set(items: readonly Item[], isNegated: boolean): Term {
    const text = setOf(items, isNegated, this.#caseless);
    if (text === undefined) throw outside;
    return { kind: "set", text };
  }

  #group(): Term {
    const head = /^(?:\?:|\?P?<([A-Za-z_]\w*)>)?/.exec(this.#text.slice(this.#at, this.#at + 80).join(""));
    const [opening = "", name] = head ?? [];
    if (opening === "" && this.#peek() === "?") throw outside;
    this.#at += opening.length;
    const body = this.#pattern();
    if (!this.#take(")")) throw outside;
    return { kind: "group", captures: opening !== "?:", ...present({ name }), body };
  }

  /** An edge, or one character of a set. */
  #escape(): Term {
    const letter = this.#peek() ?? "";
    // V8 also matches `\B` between the halves of a surrogate pair.
    if (letter === "B") throw outside;
    const edge = edges[letter];
    if (edge === undefined) return this.#set([this.#escaped()], false);
    this.#at += 1;
    return { kind: "edge", text: edge };
  }

  /** Reads the text after a backslash, where it means a character or a set with a name. */
  #escaped(): Item {
    const letter = this.#next();
    if (/[dDsSwW]/.test(letter)) return { named: letter };
    const control = { a: "\x07", f: "\f", t: "\t", n: "\n", r: "\r", v: "\v" }[letter];
    const character = control ?? (letter === "x" ? this.#code() : letter);
    if (control === undefined && letter !== "x" && !/[!-/:-@[-`{-~]/.test(letter)) throw outside;
    return { from: character, to: character };
  }

  /** Reads the digits of a code point: `41` or `{1F600}`. */
  #code(): string {
    const [all = "", short, long] =
      /^(?:([0-9A-Fa-f]{2})|\{([0-9A-Fa-f]{1,6})\})/.exec(this.#text.slice(this.#at, this.#at + 8).join("")) ?? [];
    const code = Number.parseInt(short ?? long ?? "", 16);
    if (Number.isNaN(code) || code > 0x10_ffff) throw outside;
    this.#at += all.length;
    return sound(String.fromCodePoint(code));
  }

  /** Reads a set up to `]`. A `]` in the first place is a character. */
  #brackets(): [readonly Item[], boolean] {
    const isNegated = this.#take("^");
    const items: Item[] = [];
    while (items.length === 0 || this.#peek() !== "]") {
      const item = this.#inBrackets();
      const isRange = this.#peek() === "-" && this.#text[this.#at + 1] !== "]" && this.#text[this.#at + 1] !== undefined;
      if (!isRange) items.push(item);
      else {
        this.#at += 1;
        const end = this.#inBrackets();
        if ("named" in item || "named" in end) throw outside;
        items.push({ from: item.from, to: end.to });
      }
    }
    this.#at += 1;
    return [items, isNegated];
  }

  #inBrackets(): Item {
    const character = this.#next();
    if (character === "\\") return this.#escaped();
    // Named sets such as `[:alpha:]` are outside the subset.
    if (character === "[" && this.#peek() === ":") throw outside;
    return { from: character, to: character };
  }

  #repeated(body: Term): Term {
    const [all = "", sign, low, comma, high] =
      /^(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})/.exec(this.#text.slice(this.#at, this.#at + 16).join("")) ?? [];
    if (all === "") return body;
    this.#at += all.length;
    const least = sign === undefined ? Number(low) : sign === "+" ? 1 : 0;
    const bound = comma === undefined ? least : high === "" ? Number.POSITIVE_INFINITY : Number(high);
    const most = sign === undefined ? bound : sign === "?" ? 1 : Number.POSITIVE_INFINITY;
    return { kind: "repeat", least, most, lazy: this.#take("?"), body };
  }

  #peek(): string | undefined {
    return this.#text[this.#at];
  }

  #take(character: string): boolean {
    if (this.#peek() !== character) return false;
    this.#at += 1;
    return true;
  }

  #next(): string {
    const character = this.#peek();
    if (character === undefined) throw outside;
    this.#at += 1;
    return sound(character);
  }
}

/** The character, if it is no half of a surrogate pair, which no well-formed text contains. */
function sound(character: string): string {
  if (!character.isWellFormed()) throw outside;
  return character;
}
