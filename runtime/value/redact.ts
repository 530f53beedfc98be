import { unescaped } from "./escapes.ts";
import { isObject, type Json, type JsonObject, put } from "./json.ts";
import { leastLength, type TextRange, TextSearch } from "./text-search.ts";

/** Characters of the shortest value that is hidden: shorter ones would hide half of every text (spec/surfaces 11). */
const shortest = leastLength;
/** The number of latest values that are hidden for each name: runs that go on may still carry older ones. */
const remembered = 4;

/** Levels of escapes that are undone: JSON in JSON in a URL has three. */
const deepest = 3;

/** Most characters of the text of a failure. */
const longestFailure = 65_536;

/** The text in the place of a secret. */
export const mask = "***";

/**
 * Knows the values of secrets and hides them in texts. It also finds them in any case (resolvers write host names in small letters) and in
 * Base64, hexadecimal, percent-encoding or JSON escapes, in any spelling of these (spec/surfaces 11). Values shorter than 6 characters are
 * not hidden.
 */
export class Redactor {
  readonly #known = new Map<string, readonly (readonly string[])[]>();
  /** The latest value of each name: the same value is added again and again, and computing its forms takes time. */
  readonly #latest = new Map<string, Json>();
  /** Finds the known secrets in a text. It is made when it is first needed. */
  #search: TextSearch | undefined;

  /**
   * Hides the texts in this value from now on. `id` names the owner of the value, whose oldest values are forgotten when it has too many.
   */
  add(id: string, value: Json): void {
    if (this.#latest.get(id) === value) return;
    this.#latest.set(id, value);
    const forms = [...new Set(textsOf(value).flatMap(formsOf))];
    const earlier = this.#known.get(id) ?? [];
    if (forms.length === 0 || earlier.some((other) => other.length === forms.length && other.every((form, i) => form === forms[i]))) return;
    this.#known.set(id, [...earlier, forms].slice(-remembered));
    this.#search = undefined;
  }

  /** A redactor that hides these values, too. */
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

  /** The text of a failure for callers and logs. A long text is cut, since it is searched more than once. */
  failure(text: string): string {
    return text.length > longestFailure ? `${this.head(text, longestFailure)}… (${text.length} characters)` : this.text(text);
  }

  /** The first characters of a text with every secret in them as `***`, also a secret that begins there and ends later. */
  head(text: string, most: number): string {
    if (this.#known.size === 0 || text.length < shortest) return text.slice(0, most);
    this.#search ??= new TextSearch([...this.#known.values()].flat(2));
    let out = "";
    let at = 0;
    // The searched part is longer than `most`, so that a secret which begins inside is found whole, also with escapes.
    for (const [from, to] of placesIn(text.slice(0, most + 6 * this.#search.longest), this.#search)) {
      if (from >= most) break;
      if (from >= at) out += text.slice(at, from) + mask;
      at = Math.max(at, to);
    }
    return at < most ? out + text.slice(at, most) : out;
  }

  /** The value with every secret in its texts as `***`, keys included. */
  json(value: JsonObject): JsonObject;
  json(value: Json): Json;
  json(value: Json): Json {
    if (this.#known.size === 0) return value;
    if (typeof value === "string") return this.text(value);
    if (Array.isArray(value)) return value.map((item) => this.json(item));
    if (!isObject(value)) return typeof value === "number" && this.text(String(value)) === mask ? mask : value;
    const out = {};
    for (const [key, item] of Object.entries(value)) put(out, this.text(key), this.json(item));
    return out;
  }
}

/** The places of secrets in a text, in order, both as they are known and as escapes spell them. */
function placesIn(text: string, search: TextSearch, depth = 0): readonly TextRange[] {
  const places = search.places(text);
  const plain = depth < deepest ? unescaped(text) : undefined;
  if (plain === undefined) return places;
  const { from } = plain;
  const spelt = placesIn(plain.text, search, depth + 1).map(([begin, end]): TextRange => {
    // The end of a place is moved behind an escape that stands for several characters.
    while (from[end] === from[end - 1]) end += 1;
    return [from[begin] ?? 0, from[end] ?? 0];
  });
  return [...places, ...spelt].sort(([one], [other]) => one - other);
}

/** All secret texts in a value, and the single lines of texts with several lines: a PEM key may be quoted line by line. */
function textsOf(value: Json): string[] {
  if (typeof value === "number") return textsOf(String(value));
  if (Array.isArray(value)) return value.flatMap(textsOf);
  if (isObject(value)) return Object.values(value).flatMap(textsOf);
  if (typeof value !== "string") return [];
  const lines = value.includes("\n") ? value.split(/\r?\n/).map((line) => line.trim()) : [];
  const texts = [value, value.trim(), ...lines].filter((text) => [...text].length >= shortest);
  return texts.flatMap((text) => [text, text.toLowerCase(), text.toUpperCase()]);
}

/** The ways in which a text is usually written, besides escapes; they are looked for in any case. */
function formsOf(text: string): string[] {
  const bytes = Buffer.from(text);
  const base64 = [0, 1, 2].map((offset) => base64Core(bytes, offset));
  // Forms write a blank as `+`, and URLs write a backslash as `/`.
  return [
    ...meaningsOf(text),
    text.replaceAll(" ", "+"),
    text.replaceAll("\\", "/"),
    bytes.toString(),
    ...base64,
    ...base64.map((form) => form.replaceAll("+", "-").replaceAll("/", "_")),
    bytes.toString("hex"),
  ].filter((form) => form.length >= shortest);
}

/** A text, and the texts that result when escapes in it are undone level by level. */
function meaningsOf(text: string, depth = 0): string[] {
  const plain = depth < deepest ? unescaped(text)?.text : undefined;
  return [text, ...(plain === undefined ? [] : meaningsOf(plain, depth + 1))];
}

/**
 * The Base64 characters that depend only on these bytes, when the bytes begin `offset` bytes after a boundary of three. By them a secret is
 * also found as a part of a longer text (`user:password`).
 */
function base64Core(bytes: Buffer, offset: number): string {
  const padded = Buffer.concat([Buffer.alloc(offset), bytes]);
  const end = Math.floor(padded.length / 3) * 4 + (padded.length % 3);
  return padded.toString("base64").slice(offset === 0 ? 0 : offset + 1, end);
}
