import type { Work } from "../threads/slices.ts";
import { asObject, type Json } from "../value/json.ts";

/**
 * A value as YAML 1.2 in block style, with two blanks a level and unbroken lines; a text that would read as another value is quoted. The
 * writer is our own: the yaml package takes 20 µs for each scalar, so that a few MB would keep it busy for minutes.
 */
export function* yamlOf(value: Json): Work<string> {
  return `${isBlock(value) ? yield* block(value, "") : scalar(value, "  ")}\n`;
}

/** An array or object that is not empty. */
const isBlock = (value: Json): boolean => typeof value === "object" && value !== null && Object.keys(value).length > 0;

/** The lines of an array or object; the first one follows what stands before it, so that it has no indentation. */
function* block(value: Json, indent: string): Work<string> {
  const inner = `${indent}  `;
  const between = `\n${indent}`;
  // Pieces are joined now and then: joining millions of pieces at the end would take too long in one go.
  let out = "";
  let lines: string[] = [];
  const members: Iterable<readonly [string | number, Json]> = Array.isArray(value) ? value.entries() : Object.entries(asObject(value));
  for (const [name, item] of members) {
    const start = typeof name === "number" ? "-" : `${key(name, indent)}:`;
    if (!isBlock(item)) lines.push(`${start} ${scalar(item, inner)}`);
    else lines.push(`${start}${typeof name === "number" ? " " : `\n${inner}`}${yield* block(item, inner)}`);
    if (lines.length < linesOfSlice) continue;
    out += lines.join(between) + between;
    lines = [];
    yield;
  }
  return lines.length === 0 ? out.slice(0, -between.length) : out + lines.join(between);
}

/** Lines that are written in about a millisecond. */
const linesOfSlice = 1_000;

/** A key longer than 1024 characters must be marked as one. */
function key(name: string, indent: string): string {
  const text = isPlain(name) ? name : quoted(name);
  return text.length > 1000 ? `? ${text}\n${indent}` : text;
}

function scalar(value: Json, indent: string): string {
  if (typeof value !== "string") return JSON.stringify(value);
  if (isPlain(value)) return value;
  if (!isLines(value)) return quoted(value);
  const lines = value.replace(/\n$/, "");
  // Empty lines get no indentation. Without any, each line end gets it, which takes a tenth of the time.
  const block = lines.includes("\n\n") ? lines.replace(/^(?=.)/gm, indent) : indent + lines.replace(/\n/g, `\n${indent}`);
  return `${value.endsWith("\n") ? "|" : "|-"}\n${block}`;
}

/** Characters that need an escape, besides tabs and line ends. */
const special = /[^\t\n -~\xA0-\u2027\u202A-\uD7FF\uE000-\uFEFE\uFF00-\uFFFD\u{10000}-\u{10FFFF}]/u;

/** Characters that read as syntax at the start of a text, inside or at its end. */
const syntax = /^[\s"#%&'*,>@[\]`{|}!]|^[-?:](?:\s|$)|^---|^\.\.\.|[\t\n]|: | #|:$|\s$|^$/;

/** Texts that read as null, a boolean, a number, or the merge key of YAML 1.1. */
const otherType =
  /^(?:~|null|Null|NULL|true|True|TRUE|false|False|FALSE|<<|[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?|0o[0-7]+|0x[\dA-Fa-f]+|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;

const isPlain = (text: string): boolean => !syntax.test(text) && !otherType.test(text) && !special.test(text);

/**
 * True when the lines can stand as they are: the first one is not indented, no line is blank but not empty, and at most one line end
 * follows the last.
 */
const isLines = (text: string): boolean => text.includes("\n") && !/^\s|\n[ \t]+(?:\n|$)|\n\n$/.test(text) && !special.test(text);

/** A text in quotes as JSON, which is YAML, too. Some characters need further escapes, since YAML does not print them. */
const quoted = (text: string): string =>
  JSON.stringify(text).replace(
    /[\x7F-\x9F\u2028\u2029\uFEFF\uFFFE\uFFFF]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
