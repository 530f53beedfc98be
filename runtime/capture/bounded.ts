import { type Json, put } from "../value/json.ts";
import { mask, type Redactor } from "../value/redact.ts";

/** Bytes of one text, as UTF-8 (spec/surfaces 16). */
export const longestText = 8_192;

/** Levels of data that a record keeps, since data may be nested to any depth. */
const deepest = 64;

/** Bytes that each level keeps free for a note that data are missing. */
const reserve = 64;

/** Characters that JSON writes as they are, a byte each. */
const plain = /^[ !#-[\]-~]*$/;

/** Names of members that are remembered while one record is made. */
const mostNames = 256;

interface Name {
  readonly shown: string;
  readonly isSecret: boolean;
  readonly bytes: number;
}

/** Names of members whose values must not be shown (spec/surfaces 16). */
const secretKey = /pass|secret|token|key|authorization|bearer|^(?:set-)?cookie$|^airpipe-jwt$/i;

/** True for the name of a member, a parameter or a header whose value is not recorded. */
export const isSecretKey = (key: string): boolean => secretKey.test(key);

/**
 * Copies values in the form that a record may hold: secrets become `***`, long texts are cut, and the rest is left out when the room is
 * used up. The room shrinks by the length of each copy as JSON.
 */
export class Bounded {
  readonly #redactor: Redactor;
  #room: number;
  /** Names of members with their sizes, since the members of a list have the same names again and again. */
  readonly #names = new Map<string, Name>();

  constructor(redactor: Redactor, room: number) {
    this.#redactor = redactor;
    this.#room = room;
  }

  /** The bytes that are left, never below 0. */
  get room(): number {
    return Math.max(0, this.#room);
  }

  value(value: Json, depth = 0): Json {
    if (typeof value === "string") return this.text(value);
    if (typeof value === "number") return this.#number(value);
    if (value === null || typeof value === "boolean") return this.#taken(value, 5);
    if (depth >= deepest) return this.#taken("…", 5);
    this.#room -= 2;
    return Array.isArray(value) ? this.#list(value, depth) : this.#record(value, depth);
  }

  /** Copies a text; the copy of a long text is cut, and says how many characters are missing. */
  text(text: string): string {
    const most = Math.min(longestText, this.room);
    // The text is short enough even if each of its characters takes three bytes.
    if (text.length * 3 <= most) return this.#shown(this.#redactor.text(text));
    // A character takes at least a byte.
    const head = this.#redactor.head(text, most);
    const cut = clipped(head, most);
    const missing = text.length > most ? text.length - most : head.length - cut.length;
    return this.#shown(missing > 0 ? `${cut}… (${missing} more)` : cut);
  }

  /** Takes the bytes that a text needs as JSON, and those of the separator after it. */
  #shown(text: string): string {
    return this.#taken(text, plain.test(text) ? text.length + 3 : Buffer.byteLength(JSON.stringify(text)) + 1);
  }

  #number(value: number): Json {
    const text = String(value);
    return this.#taken(this.#redactor.text(text) === mask ? mask : value, text.length + 1);
  }

  #list(value: readonly Json[], depth: number): Json {
    const out: Json[] = [];
    for (const item of value) {
      if (this.#room < reserve) {
        out.push(this.#taken(`… (${value.length - out.length} more)`, 24));
        break;
      }
      out.push(this.value(item, depth + 1));
    }
    return out;
  }

  #record(value: Readonly<Record<string, Json>>, depth: number): Json {
    const out: Record<string, Json> = {};
    const keys = Object.keys(value);
    for (const [i, key] of keys.entries()) {
      if (this.#room < reserve) {
        put(out, "…", this.#taken(`${keys.length - i} more`, 24));
        break;
      }
      const item = value[key] ?? null;
      const { shown: label, isSecret } = this.#name(key);
      put(out, label, isSecret && item !== null ? this.#taken(mask, 6) : this.value(item, depth + 1));
    }
    return out;
  }

  #name(key: string): Name {
    const remembered = this.#names.get(key);
    if (remembered !== undefined && remembered.bytes <= this.#room) {
      this.#room -= remembered.bytes;
      return remembered;
    }
    const before = this.#room;
    const label = this.text(key);
    const name = { shown: label, isSecret: isSecretKey(key), bytes: before - this.#room };
    if (this.#names.size < mostNames) this.#names.set(key, name);
    return name;
  }

  #taken<V extends Json>(value: V, bytes: number): V {
    this.#room -= bytes;
    return value;
  }
}

/** The characters from the start of a text that fit into `bytes`. */
function clipped(text: string, bytes: number): string {
  if (text.length * 3 <= bytes) return text;
  const encoded = Buffer.from(text);
  if (encoded.length <= bytes) return text;
  let end = bytes;
  // The cut must not be inside a character.
  while (end > 0 && ((encoded[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return encoded.toString("utf8", 0, end);
}
