import type { Span } from "#runtime/plan/index.ts";
import type { Json } from "#runtime/value/json.ts";
import { visible, visibleLine } from "#runtime/value/visible.ts";
import { endOfMark, markText, unmarkedLine, widthOf } from "./marks.ts";

/** The source text of an expression, on one or several lines. Only this file and the printer's templates make it. */
export type Code = string & { readonly __code: unique symbol };

/** The one place where text becomes code. */
const raw = (text: string): Code => text as Code;

/** Joins code with code: a hole that is not code does not type-check, so user text enters only through `lit`. */
export function code(strings: TemplateStringsArray, ...holes: readonly Code[]): Code {
  let text = strings[0] ?? "";
  for (const [i, hole] of holes.entries()) text += `${hole}${strings[i + 1]}`;
  return raw(text);
}

/** A name that the printer has chosen: a feature, a helper, an identifier from `Names`. */
export function name(identifier: string): Code {
  if (!/^[A-Za-z_$][\w$]*$/.test(identifier)) throw new Error(`not an identifier: ${identifier}`);
  return raw(identifier);
}

/** The literal of a regular expression with the flag `u`; a line break or a bare slash would end it early. */
export function regexp(source: string): Code {
  const text = visible(source);
  if (/[\n\r]|(?<!\\)(?:\\\\)*\//.test(text) || new RegExp(text, "u").flags !== "u") throw new Error(`not a regular expression: ${text}`);
  return raw(`/${text === "" ? "(?:)" : text}/u`);
}

export const empty = raw("");

/** A mark: the code behind it comes from this place of the YAML. */
export const mark = (at: Span | undefined): Code => (at === undefined ? empty : raw(markText(at)));

/** Code that comes from this place of the YAML. The rest of its line does not. */
export const marked = (value: Code, at: Span | undefined): Code => (at === undefined ? value : raw(`${markText(at)}${value}${endOfMark}`));

/** The widest line in columns. A longer line is split where possible. */
export const widest = 140;

/** A text inside a comment, without line ends and without the end of a comment. */
export const comment = (text: string): Code => raw(visibleLine(text).replaceAll("*/", "*\\/"));

/** Lines of code that another printer has made from texts of the user. */
export const foreign = (text: string): Code => raw(visible(text));

/** An indentation. */
export const spaces = (indent: string): Code => raw(" ".repeat(indent.length));

export const list = (items: readonly Code[], separator = ", "): Code => raw(items.join(separator));

/** Words that cannot name a variable of a printed module. */
const reserved = new Set(
  (
    "arguments await break case catch class const continue debugger default delete do else enum eval export extends false finally for function if " +
    "implements import in instanceof interface let new null package private protected public return static super switch this throw true try typeof " +
    "undefined var void while with yield " +
    // Printed code uses these names, or every CommonJS module defines them.
    "globalThis Object Array String Number Boolean Promise Math JSON NaN Infinity isFinite require module exports"
  ).split(" "),
);

export const isReserved = (word: string): boolean => reserved.has(word);

/** Gives the tag for texts of several lines, and notes that it is imported. */
export type TextTag = () => Code;

/** A text as a string literal. */
const string = (text: string): string => visible(JSON.stringify(text));

/** True when the lines of a text are easier to read below each other, and the tag does not change the text. */
const hasLines = (text: string): boolean => /\n[\s\S]/.test(text) && /(?:^|\n)[^ \n]/.test(text);

/**
 * A JSON value as code; one entry on each line where an entry holds entries itself. With a tag the lines of a text stand below each other,
 * so that a diff shows the changed line. `__proto__` is a computed key: written plainly it would set the prototype.
 */
export function lit(value: Json, indent = "", tag?: TextTag): Code {
  if (typeof value === "string") return tag !== undefined && hasLines(value) ? template([value], indent, tag) : raw(string(value));
  if (value === null || typeof value !== "object") return raw(Object.is(value, -0) ? "-0" : JSON.stringify(value));
  const deep = Object.values(value).some((item) => isDeep(item, tag));
  const inner = deep ? `${indent}  ` : indent;
  const items = Array.isArray(value)
    ? value.map((item) => lit(item, inner, tag))
    : Object.entries(value).map(([key, item]) => pair(property(key), lit(item, inner, tag)));
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  if (items.length === 0) return raw(`${open}${close}`);
  if (deep) return block(open, items, close, indent);
  return raw(Array.isArray(value) ? `[${items.join(", ")}]` : `{ ${items.join(", ")} }`);
}

function isDeep(value: Json, tag: TextTag | undefined): boolean {
  if (typeof value === "string") return tag !== undefined && hasLines(value);
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}

/** An entry of an object literal: `key: value`. */
export const pair = (key: Code, value: Code): Code => raw(`${key}: ${value}`);

/** A property name of an object literal. */
export function property(key: string): Code {
  if (key === "__proto__") return raw('["__proto__"]');
  return raw(/^[A-Za-z_$][\w$]*$/.test(key) ? key : visible(JSON.stringify(key)));
}

/** Brackets around items, each on its own line. */
export function block(open: string, items: readonly Code[], close: string, indent: string): Code {
  if (items.length === 0) return raw(`${open}${close}`);
  return raw(`${open}\n${items.map((item) => `${indent}  ${item},\n`).join("")}${indent}${close}`);
}

/** The items, each on its own line, with an operator at the end of all lines but the last. */
export const belowEachOther = (items: readonly Code[], operator: string, indent: string): Code =>
  raw(items.map((item) => `\n${indent}${item}`).join(operator));

/** One part of a template literal, without line breaks of its own. */
function chunk(text: string): string {
  return visible(JSON.stringify(text).slice(1, -1))
    .replace(/\\"/g, '"')
    .replace(/[`]|\$(?=\{|$)/g, "\\$&");
}

/**
 * Text with holes as a template literal; with a tag its lines stand below each other, as in the YAML. A single hole without text is printed
 * as its code.
 */
export function template(parts: readonly (string | { readonly hole: Code })[], indent: string, tag: TextTag): Code {
  const [only, ...more] = parts;
  if (typeof only === "object" && more.length === 0) return only.hole;
  const printed = (line: (text: string) => string): string =>
    parts.map((part) => (typeof part === "string" ? line(part) : `\${${part.hole}}`)).join("");
  // A hole counts as a character that is no blank.
  if (!hasLines(parts.map((part) => (typeof part === "string" ? part : "x")).join(""))) return raw(`\`${printed(chunk)}\``);
  const text = printed(brokenChunk);
  const below = text.replace(/\n(?!\n|$)/g, `\n${indent}  `);
  return raw(`${tag()}\`\n${text.startsWith("\n") ? "" : `${indent}  `}${below}${text.endsWith("\n") ? indent : ""}\``);
}

/** Escapes a text that keeps its line breaks. A blank before a line break is escaped because it would be invisible. */
const brokenChunk = (text: string): string =>
  text
    .split("\n")
    .map(chunk)
    .join("\n")
    .replace(/ (?=\n)/g, "\\x20");

/** Lines of code between braces. All of them may be indented: the tag of a literal with line breaks removes the blanks before its lines. */
export function braced(statements: readonly Code[]): Code {
  const inner = statements.join("\n").replace(/^(?=.)/gm, "  ");
  return raw(inner === "" ? "{}" : `{\n${inner}\n}`);
}

/** A call on one line; one argument on each line if that is too long, or if an argument other than the last one takes several lines. */
export function call(fn: Code, args: readonly Code[]): Code {
  const line = raw(`${fn}(${args.join(", ")})`);
  const [head = ""] = line.split("\n", 1);
  const isOpen = args.slice(0, -1).some((arg) => arg.includes("\n"));
  if (!isOpen && isShort(head)) return line;
  return raw(
    `${fn}${block(
      "(",
      args.map((arg) => deeper(arg, "  ")),
      ")",
      "",
    )}`,
  );
}

/** True when a line has room in an action; `indent` is the text before it. */
export const isShort = (line: string, indent = ""): boolean => !line.includes("\n") && indent.length + widthOf(line) <= widest - usualDepth;

/** The usual indentation of a statement in an action, in columns. */
const usualDepth = 6;

/** Indents code further; its first line stays where it is. */
export const deeper = (value: Code, indent: string): Code => raw(value.replace(/\n(?!\n)/g, `\n${indent}`));

/** Code that may stand behind an arrow, or as a statement: an object there would be read as a block. */
export const parenthesised = (value: Code): Code => raw(value.startsWith("{") ? `(${value})` : value);

/** An arrow function that gives the expression. */
export function arrow(usesAct: boolean, value: Code, waits?: true): Code {
  return code`${waits ? code`async ` : empty}${usesAct ? code`(act)` : code`()`} => ${parenthesised(value)}`;
}

/** A line without its marks, and the places of its parts that come from other places of the YAML. */
export function unmarkedCode(line: Code) {
  const { text, marks } = unmarkedLine(line);
  return { text: raw(text), marks };
}

/** One printed line and the place in the YAML that it came from. */
export interface Line {
  readonly text: Code;
  readonly at?: Span | undefined;
}

/** The lines of a piece of code. Each of them maps to `at`. */
export function lines(text: Code, at?: Span): Line[] {
  return text.split("\n").map((line) => ({ text: raw(line), at }));
}

/** Adds lines behind others, one by one: as the arguments of one call, the lines of a large config would not fit on the stack. */
export function addLines(out: Line[], more: readonly Line[]): void {
  for (const line of more) out.push(line);
}

/** A block with code before its first line and behind its last line. The code before may have several lines, which map to `at`. */
export function enclosed(before: Code, block: readonly Line[], after: Code, at = block[0]?.at): Line[] {
  const [first, ...rest] = block;
  const all = [...lines(code`${before}${first?.text ?? empty}`, at), ...rest];
  return all.map((line, i) => (i === all.length - 1 ? { ...line, text: code`${line.text}${after}` } : line));
}

export function indented(block: readonly Line[], by = "  "): Line[] {
  return block.map((line) => (line.text === "" ? line : { ...line, text: code`${spaces(by)}${line.text}` }));
}
