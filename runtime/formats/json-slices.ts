import { randomBytes } from "node:crypto";
import type { Work } from "../threads/slices.ts";
import { isObject, type Json, type JsonObject, own, put } from "../value/json.ts";

/** Characters that are parsed at one go: a million short texts that differ take the parser a third of a second. */
const slice = 1_048_576;

type Container = Json[] | JsonObject;
type Bracket = "[" | "{";

const code = {
  quote: 0x22,
  backslash: 0x5c,
  comma: 0x2c,
  colon: 0x3a,
  list: 0x5b,
  endOfList: 0x5d,
  object: 0x7b,
  endOfObject: 0x7d,
} as const;

/**
 * Parses a long JSON text as `JSON.parse` does, slice by slice; undefined when it is no JSON. A slice ends at a comma, whatever is open
 * there: it is parsed between the brackets that are open around it, and its members are added to the values that are open.
 */
export function* parseInSlices(text: string, length = slice): Work<Json | undefined> {
  const whole = new Whole();
  const place = new Place();
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === code.quote) at = place.passText(text, at);
    else if (character === code.comma && place.depth === 0) return undefined;
    else if (character === code.comma && at - from >= length) {
      if (!isWhole(text.slice(from, at), from) || !whole.take(text.slice(from, at), place.next(text))) return undefined;
      yield;
      from = at + 1;
    } else if (!place.pass(character)) return undefined;
  }
  const rest = text.slice(from);
  return place.depth === 0 && (from === 0 || isWhole(rest, from)) && whole.take(rest, place.next(text)) ? whole.value : undefined;
}

/** False when the brackets around a slice would hide a comma that is too many. */
const isWhole = (part: string, from: number): boolean =>
  !/^\s*$|[[{]\s*$/.test(part.slice(-1000)) && (from === 0 || !/^\s*[\]}]/.test(part));

/** Brackets that are open where a slice ends, and how far back they reach. */
interface Border {
  readonly brackets: readonly Bracket[];
  /** The name of the member that is being read, for each open object. */
  readonly names: readonly (string | undefined)[];
  /** The least number of brackets that were open within the slice. */
  readonly least: number;
}

/** Where the reader of a text is. */
class Place {
  readonly #brackets: Bracket[] = [];
  readonly #names: (readonly [from: number, to: number] | undefined)[] = [];
  #lastText: readonly [from: number, to: number] = [0, 0];
  #least = 0;

  get depth(): number {
    return this.#brackets.length;
  }

  /** Notes a character outside of texts; false when it closes what is not open. */
  pass(character: number): boolean {
    if (character === code.list || character === code.object) {
      this.#brackets.push(character === code.list ? "[" : "{");
      this.#names.push(undefined);
    } else if (character === code.endOfList || character === code.endOfObject) {
      if (this.#brackets.pop() !== (character === code.endOfList ? "[" : "{")) return false;
      this.#names.pop();
      this.#least = Math.min(this.#least, this.depth);
    } else if (character === code.colon && this.depth > 0) this.#names[this.depth - 1] = this.#lastText;
    return true;
  }

  /** The offset of the quote that ends a text. */
  passText(text: string, start: number): number {
    let end = start + 1;
    for (; end < text.length; end++) {
      const character = text.charCodeAt(end);
      if (character === code.quote) break;
      if (character === code.backslash) end += 1;
    }
    this.#lastText = [start, end + 1];
    return end;
  }

  /** Ends a slice. */
  next(text: string): Border {
    const names = this.#names.map((name) => (name === undefined ? undefined : nameAt(text, name)));
    const border = { brackets: [...this.#brackets], names, least: this.#least };
    this.#least = this.depth;
    return border;
  }
}

/** The name between two offsets; undefined when it is no JSON, which the parser finds out, too. */
function nameAt(text: string, [from, to]: readonly [number, number]): string | undefined {
  try {
    return String(JSON.parse(text.slice(from, to)));
  } catch {
    return undefined;
  }
}

/** The name under which an object of the slice before goes on. Nobody can know it, and so have a member of that name. */
const goesOn = `goes on ${randomBytes(8).toString("hex")}`;

const openers = { "[": "[", "{": `{${JSON.stringify(goesOn)}:` } as const;
const closers = { "[": "]", "{": "}" } as const;

/** A value that is put together from slices. */
class Whole {
  value: Json | undefined;
  #around: readonly Bracket[] = [];
  #open: Container[] = [];

  /** Adds a slice; false when it is no JSON. */
  take(part: string, { brackets, names, least }: Border): boolean {
    const before = this.#around.map((bracket, i) => (i < this.#around.length - 1 ? openers[bracket] : bracket));
    const behind = brackets.map((bracket) => closers[bracket]).reverse();
    let parsed: Json;
    try {
      parsed = JSON.parse([...before, part, ...behind].join(""));
    } catch {
      return false;
    }
    if (this.value === undefined) this.value = parsed;
    else this.#add(parsed);
    this.#around = brackets;
    this.#follow(names, least);
    return true;
  }

  /** From the outermost open container to the innermost: what it holds further. */
  #add(parsed: Json): void {
    let here = parsed;
    this.#open.forEach((target, i) => {
      here = added(target, here, i === this.#open.length - 1);
    });
  }

  /** Finds the containers that are open at the end of the slice. */
  #follow(names: readonly (string | undefined)[], least: number): void {
    const open = this.#open.slice(0, least);
    while (open.length < names.length) {
      const around = open.at(-1);
      const name = names[open.length - 1] ?? "";
      const inner = around === undefined ? this.value : Array.isArray(around) ? around.at(-1) : own(around, name);
      if (typeof inner !== "object" || inner === null) throw new Error("the slices of a JSON text do not fit");
      open.push(inner);
    }
    this.#open = open;
  }
}

/** Appends the members of a slice to a container; gives the part in which the next inner container goes on. */
function added(target: Container, parsed: Json, isInnermost: boolean): Json {
  if (Array.isArray(target)) {
    const list = Array.isArray(parsed) ? parsed : [];
    for (let i = isInnermost ? 0 : 1; i < list.length; i++) target.push(list[i] ?? null);
    return list[0] ?? null;
  }
  const object = isObject(parsed) ? parsed : {};
  for (const key of Object.keys(object)) if (isInnermost || key !== goesOn) put(target, key, own(object, key) ?? null);
  return own(object, goesOn) ?? null;
}
