import { isObject, type Json, put } from "./json.ts";
import { leastLength, TextSearch } from "./text-search.ts";

/** Shorter values would hide half of every text (spec/surfaces 11). */
const shortest = leastLength;
/** Values that one name has had: what is under way may still carry the last ones. */
const remembered = 4;

/** Characters of the text of a failure. */
const longestFailure = 65_536;

/** The text in the place of a secret. */
export const mask = "***";

/**
 * Knows the values of secrets and hides them in texts, in any case (resolvers write names of hosts in small letters), also where they are
 * written in Base64, hexadecimal, percent-encoded or JSON-escaped (spec/surfaces 11). Values shorter than 6 characters are not hidden.
 */
export class Redactor {
  readonly #known = new Map<string, readonly (readonly string[])[]>();
  /** The value that each name has had last: it is added again and again, and its forms cost time. */
  readonly #latest = new Map<string, Json>();
  /** Looks for what is known; made when it is first needed. */
  #search: TextSearch | undefined;

  /** True as long as there is nothing to hide. */
  get isIdle(): boolean {
    return this.#known.size === 0;
  }

  /** From now on the texts in this value are hidden. `id` names what has the value: its earlier values are forgotten after a while. */
  add(id: string, value: Json): void {
    if (this.#latest.get(id) === value) return;
    this.#latest.set(id, value);
    const forms = [...new Set(textsOf(value).flatMap(formsOf))];
    const earlier = this.#known.get(id) ?? [];
    if (forms.length === 0 || earlier.some((other) => other.length === forms.length && other.every((form, i) => form === forms[i]))) return;
    this.#known.set(id, [...earlier, forms].slice(-remembered));
    this.#search = undefined;
  }

  /** One that hides these values, too. */
  with(values: readonly Json[]): Redactor {
    if (values.length === 0) return this;
    const other = new Redactor();
    for (const [id, forms] of this.#known) other.#known.set(id, forms);
    other.add("", [...values]);
    return other;
  }

  /** The text with every secret in it as `***`. */
  text(text: string): string {
    return this.head(text, text.length);
  }

  /** The text of a failure for callers and logs: the first characters of a long one, since it is looked through more than once. */
  failure(text: string): string {
    return text.length > longestFailure ? `${this.head(text, longestFailure)}… (${text.length} characters)` : this.text(text);
  }

  /** The first characters of a text with every secret in them as `***`, also one that goes on behind them. */
  head(text: string, most: number): string {
    if (this.#known.size === 0 || text.length < shortest) return text.slice(0, most);
    this.#search ??= new TextSearch([...this.#known.values()].flat(2));
    let out = "";
    let at = 0;
    // A secret that begins inside is found whole.
    for (const [from, to] of this.#search.places(text.slice(0, most + this.#search.longest))) {
      if (from >= most) break;
      out += text.slice(at, from) + mask;
      at = to;
    }
    return at < most ? out + text.slice(at, most) : out;
  }

  /** The value with every secret in its texts as `***`, keys included. */
  json(value: Json): Json {
    if (typeof value === "string") return this.text(value);
    if (Array.isArray(value)) return value.map((item) => this.json(item));
    if (!isObject(value)) return typeof value === "number" && this.text(String(value)) === mask ? mask : value;
    const out = {};
    for (const [key, item] of Object.entries(value)) put(out, this.text(key), this.json(item));
    return out;
  }
}

/** Every text that is secret in a value, and the lines of those that have several: a PEM key may be quoted line by line. */
function textsOf(value: Json): string[] {
  if (typeof value === "number") return textsOf(String(value));
  if (Array.isArray(value)) return value.flatMap(textsOf);
  if (isObject(value)) return Object.values(value).flatMap(textsOf);
  if (typeof value !== "string") return [];
  const lines = value.includes("\n") ? value.split(/\r?\n/).map((line) => line.trim()) : [];
  const texts = [value, value.trim(), ...lines].filter((text) => [...text].length >= shortest);
  return texts.flatMap((text) => [text, text.toLowerCase(), text.toUpperCase()]);
}

/** The ways in which a text is usually written; they are looked for in any case. */
function formsOf(text: string): string[] {
  const bytes = Buffer.from(text);
  const percent = encodeURIComponent(text.toWellFormed());
  const strict = percent.replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  const encoded = [percent, strict, percent.replaceAll("%20", "+"), strict.replaceAll("%20", "+")];
  const base64 = [0, 1, 2].map((offset) => base64Core(bytes, offset));
  const hex = bytes.toString("hex");
  return [
    text,
    JSON.stringify(text).slice(1, -1),
    ...encoded,
    ...base64,
    ...base64.map((form) => form.replaceAll("+", "-").replaceAll("/", "_")),
    hex,
  ].filter((form) => form.length >= shortest);
}

/**
 * The characters of a Base64 text that these bytes alone decide, when they begin `offset` bytes after a boundary of three: also what is a
 * part of a longer text (`user:password`) is found.
 */
function base64Core(bytes: Buffer, offset: number): string {
  const padded = Buffer.concat([Buffer.alloc(offset), bytes]);
  const rest = padded.length % 3;
  const end = Math.floor(padded.length / 3) * 4 + (rest === 0 ? 0 : rest);
  return padded.toString("base64").slice(offset === 0 ? 0 : offset + 1, end);
}
