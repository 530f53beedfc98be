import { Failure } from "./failure.ts";
import type { Json } from "./json.ts";
import { reread, text } from "./values.ts";

// How a hole inside structured text is filled (spec/language 2.8): a value fills its own hole and can never become structure.

/** Value position of a JSON text. Digits of a string that reads as a number are kept verbatim. */
export function json_value(value: Json): string {
  const trimmed = typeof value === "string" ? value.trim() : "";
  if (typeof value === "string" && /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(trimmed)) return trimmed;
  return JSON.stringify(reread(value));
}

/** Value position of a JSON text, for a value that must not be read again: a string stays a string, even when it looks like a number. */
export function json_exact(value: Json): string {
  return JSON.stringify(value);
}

/** Inside a JSON string literal. */
export function json_string(value: Json): string {
  return JSON.stringify(text(value)).slice(1, -1);
}

/** Inside the authority of a URL: one label of the host or the port, so that it can never begin another component. */
export function url_label(value: Json): string {
  const label = text(value);
  if (!/^[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?$/.test(label)) throw new Failure("evaluation", "unsafe part of a host");
  return label;
}

/**
 * The beginning of a URL, or a value of the configuration in scheme and authority: it is filled in unchanged. The finished text must parse
 * as http or https.
 */
export function url_origin(value: Json): string {
  return text(value);
}

/** Percent-encodes everything but RFC 3986 unreserved characters; existing `%XX` triplets stay (spec/language 5.1.2). */
export function url_component(value: Json): string {
  const plain = text(value);
  if (/^[\w.~-]*$/.test(plain)) return plain;
  return plain
    .split(/(%[0-9A-Fa-f]{2})/)
    .map((part, i) => (i % 2 === 1 ? part : encode(part)))
    .join("");
}

/**
 * A hole in the path of a URL. The value is encoded, so that it can never add a segment, and refused when it makes a segment `.` or `..`,
 * also spelled with `%2e` (spec/language 5.1.2). Where other text of the segment could be a part of those dots, the compiler passes the
 * whole segment.
 */
export function url_segment(value: Json): string {
  const segment = url_component(value);
  if (/^(?:\.|%2e){1,2}$/i.test(segment)) throw new Failure("evaluation", "unsafe path segment");
  return segment;
}

function encode(part: string): string {
  return encodeURIComponent(part.toWellFormed()).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** Exactly one key of a path: dots and brackets in it are part of the name (spec/language 2.8 I). */
export function path_key(value: Json): string {
  const key = text(value).replace(/[\\"]/g, "\\$&");
  // RFC 9535 wants control characters escaped.
  return `["${key.replace(/[^ -\uFFFF]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)}"]`;
}

/** The literal with which a `$` path compares: a list or object is its text. */
export function path_value(value: Json): string {
  return typeof value === "number" || typeof value === "boolean" ? JSON.stringify(value) : `"${path_text(value)}"`;
}

/** The text between quotes of either kind: the value ends none of them. */
export function path_text(value: Json): string {
  const quoted = JSON.stringify(text(value).toWellFormed());
  return quoted.slice(1, -1).replace(/\\"|'/g, (quote) => (quote === "'" ? "\\u0027" : "\\u0022"));
}

/** Quoted for a regular expression. */
export function regex(value: Json): string {
  return text(value).replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}

/** Quoted for a `like` pattern, so that a `%` of the value is a percent sign. */
export function like(value: Json): string {
  return text(value).replace(/[\\%]/g, "\\$&");
}

/** Escaped for a CSS selector, in a name as well as between quotes (CSS Syntax 4.3.7): a code in hexadecimal ends with a blank. */
export function css(value: Json): string {
  return text(value).replace(/[^\w-]|^-?\d|^-$/gu, (part) => Array.from(part, escaped).join(""));
}

const escaped = (character: string): string => `\\${character.codePointAt(0)?.toString(16)} `;

/** One level of an MQTT topic: neither a separator nor a wildcard, and not empty. */
export function topic_level(value: Json): string {
  return level(value, /[/+#\0]/, "topic");
}

/** One level of a channel, whose levels `:` separates, too. */
export function channel_level(value: Json): string {
  return level(value, /[:/+#\0]/, "channel");
}

/** One level of a path of files, or a part of one: no separator of any system, and never `.` or `..`. */
export function file_level(value: Json): string {
  const name = level(value, /[/\\\0]/, "path");
  if (/^\.+$/.test(name)) throw new Failure("evaluation", "unsafe level of a path");
  return name;
}

/** Levels of a path of files that the configuration chooses. Without a value the path would be another one. */
export function file_levels(value: Json): string {
  if (value === null) throw new Failure("evaluation", "unsafe level of a path");
  return text(value);
}

/** Within an address of a mail: nothing in it separates addresses, or ends this one. */
export function mail_address(value: Json): string {
  return addressPart(value, /[<>,;:"()\\\s\p{Cc}]/u, "unsafe part of an address");
}

/** A part of an address of a mail whose `@` is written beside it. */
export function mail_part(value: Json): string {
  return addressPart(value, /[<>,;:"()\\@\s\p{Cc}]/u, "unsafe part of an address");
}

/** Between the quotes of the name before an address of a mail: only a quote ends it. */
export function mail_quoted(value: Json): string {
  return addressPart(value, /["\\\p{Cc}]/u, "unsafe name of an address");
}

/** Fills a hole in the name before an address of a mail: the value is no address itself. */
export function mail_name(value: Json): string {
  return addressPart(value, /[<>,;:"()\\@\p{Cc}]/u, "unsafe name of an address");
}

/** Characters of an item of a list of addresses, as of a whole field. */
const longestBox = 65_536;

/** An item of a list of addresses: one address, with or without a name before it. */
export function mail_box(value: Json): string {
  const box = text(value);
  if (box.length > longestBox || !/^(?:"[^"\\]*"|[^,;:"<>()\\])*(?:<[^<>,;:"()\\]*>\s*)?$/.test(box))
    throw new Failure("evaluation", "an item of addresses is not one address");
  return box;
}

function addressPart(value: Json, special: RegExp, reason: string): string {
  const part = text(value);
  if (special.test(part)) throw new Failure("evaluation", reason);
  return part;
}

function level(value: Json, special: RegExp, of: string): string {
  const name = text(value);
  if (name === "" || special.test(name)) throw new Failure("evaluation", `unsafe level of a ${of}`);
  return name;
}

/** A header value. CR, LF and NUL would add a header or end the block (spec/language 2.8 F). */
export function header(value: Json, name: string): string | null {
  if (value === null) return null;
  const line = text(value);
  if (/[\r\n\0]/.test(line)) throw new Failure("evaluation", `header ${name}: invalid character`);
  return line;
}
