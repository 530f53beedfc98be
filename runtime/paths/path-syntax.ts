import { Reject } from "../value/failure.ts";
import { own } from "../value/json.ts";
import { parseQuery } from "./json-path.ts";
import { every, type PathStep } from "./nodes.ts";

const longest = 4096;

/** The steps of a path in the dialect of spec/transforms 2.1. A path that does not parse is PW209. */
export function parseSteps(text: string): readonly PathStep[] {
  if (text.length > longest) throw bad(text, `it is longer than ${longest} characters`);
  if (text !== text.trim()) throw bad(text, "it begins or ends with white space");
  return text.startsWith("$") ? rootedSteps(text) : dotSteps(withoutDot(text));
}

/** The text without the dot that the filter `dot_path` puts before a leading `$` to make it a name; error texts show this. */
export const withoutDot = (text: string): string => text.replace(/^\.(?=\$)/, "");

/** The diagnostic of a path that does not parse or, as PW511, of one that does not fit its purpose. */
export const bad = (text: string, reason: string, code: "PW209" | "PW511" = "PW209"): Reject =>
  new Reject(code, `bad path '${text.length > 200 ? `${text.slice(0, 200)}...` : text}': ${reason}`);

const quoted = String.raw`'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"`;

/** A name, or an index or quoted name in brackets. The dot may be left out before and after a bracket. */
const dotSegment = String.raw`(\.?)(?:([^.[\]]+)|\[(?:(-?\d+)|(${quoted}))\])`;

function dotSteps(text: string): PathStep[] {
  const steps: PathStep[] = [];
  const segment = new RegExp(dotSegment, "sy");
  let at = text.startsWith(".") ? 1 : 0;
  while (at < text.length) {
    segment.lastIndex = at;
    const [whole, dot, name, index, inQuotes] = segment.exec(text) ?? [];
    if (whole === undefined || (dot !== "" && steps.length === 0)) throw bad(text, dotFault(text, at));
    steps.push(name ?? (index === undefined ? unquoted(inQuotes ?? "", text) : Number(index)));
    at += whole.length;
  }
  return steps;
}

function dotFault(text: string, at: number): string {
  const dotted = text[at] === ".";
  if (dotted && (text[at + 1] !== "[" || text.slice(0, at) === ".")) return `a name is missing after the dot at character ${at + 1}`;
  const bracket = dotted ? at + 1 : at;
  if (text[bracket] === "]") return `']' at character ${bracket + 1} closes nothing`;
  const inside = bracketed(text, bracket);
  if (inside === undefined) return `'[' at character ${bracket + 1} is not closed`;
  if (text.startsWith("$") || !/^\*$|^\?|[:,]/.test(inside.trim()))
    return `the brackets at character ${bracket + 1} hold neither an index nor a quoted name`;
  return `'[${inside}]' at character ${bracket + 1} needs a path that starts with '$': write '$${/^[.[]/.test(text) ? "" : "."}${text}'`;
}

const blank = String.raw`[ \t\n\r]*`;
const shorthand = String.raw`[A-Za-z_\u0080-\u{D7FF}\u{E000}-\u{10FFFF}][\w\u0080-\u{D7FF}\u{E000}-\u{10FFFF}]*`;
const hex = "[0-9A-Fa-f]";
const codeUnits = String.raw`[0-9A-CEFa-cef]${hex}{3}|[Dd][0-7]${hex}{2}|[Dd][89ABab]${hex}{2}\\u[Dd][C-Fc-f]${hex}{2}`;
const escaped = String.raw`\\(?:[bfnrt/\\]|u(?:${codeUnits}))`;
const strictlyQuoted = String.raw`'(?:[^\\'\u0000-\u001F]|${escaped}|\\')*'|"(?:[^\\"\u0000-\u001F]|${escaped}|\\")*"`;

/** A segment of RFC 9535 as most paths have it: a wildcard, a shorthand name, or a wildcard, an index or a quoted name in brackets. */
const simpleSegment = String.raw`${blank}(?:\.(?:(\*)|(${shorthand}))|\[${blank}(?:(\*)|(0|-?[1-9]\d*)|(${strictlyQuoted}))${blank}\])`;

/** True for a `$` path of names, indexes and wildcards, which needs no reader of queries. */
export const isSimpleQuery = (text: string): boolean =>
  text === "$." || new RegExp(`^\\$(?:\\.(?=\\[))?(?:${simpleSegment})*$`, "su").test(text);

function rootedSteps(text: string): readonly PathStep[] {
  if (text === "$.") return [];
  // `$.[0]` is in the documentation, though not in the RFC.
  const start = text.startsWith("$.[") ? 2 : 1;
  const steps: PathStep[] = [];
  const segment = new RegExp(simpleSegment, "suy");
  for (let at = start; at < text.length; at = segment.lastIndex) {
    segment.lastIndex = at;
    const [whole, star, name, starred, index, inQuotes] = segment.exec(text) ?? [];
    if (whole === undefined) return querySteps(text, start, at);
    if (star !== undefined || starred !== undefined) steps.push(every);
    else steps.push(name ?? (index === undefined ? unquoted(inQuotes ?? "", text) : safe(Number(index), text)));
  }
  return steps;
}

/** The steps of any other query. `stop` is where the simple segments end. */
function querySteps(text: string, start: number, stop: number): readonly PathStep[] {
  const query = parseQuery(`$${text.slice(start)}`);
  if (!("reason" in query)) return query;
  throw bad(text, rootedFault(text, stop) ?? `${query.reason} at character ${query.at + start}`);
}

/** The reason for a usual mistake in a `$` path, in the words that are used for dot paths; undefined for other mistakes. */
function rootedFault(text: string, from: number): string | undefined {
  const at = from + (/\S/.exec(text.slice(from))?.index ?? 0);
  if (text.startsWith("..", at)) return text.length > at + 2 ? undefined : "a name is missing after '..'";
  if (text[at] === ".") return `a name is missing after the dot at character ${at + 1}; unusual names are written ['like this']`;
  if (text[at] !== "[") return `'${text[at]}' at character ${at + 1} is not expected; unusual names are written ['like this']`;
  const inside = bracketed(text, at);
  if (inside === undefined) return `'[' at character ${at + 1} is not closed`;
  return /^\?.|[,:'"]/s.test(inside.trim()) ? undefined : `the brackets at character ${at + 1} hold no selector`;
}

/** The text between the bracket at `at` and its partner; undefined when it is not closed. Brackets in quotes do not count. */
function bracketed(text: string, at: number): string | undefined {
  const token = new RegExp(String.raw`${quoted}|[[\]]`, "gs");
  token.lastIndex = at;
  let depth = 0;
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    if (match[0] === "[") depth += 1;
    else if (match[0] === "]") depth -= 1;
    if (depth === 0) return text.slice(at + 1, match.index);
  }
  return undefined;
}

const escapes: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", "/": "/", "\\": "\\" };

/** The name inside quotes, with the escapes of RFC 9535. */
function unquoted(literal: string, text: string): string {
  return literal.slice(1, -1).replace(/\\(?:u([0-9A-Fa-f]{4})|(.))/gs, (sequence, hex: string | undefined, character: string) => {
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
    const value = character === literal[0] ? character : own(escapes, character);
    if (value === undefined) throw bad(text, `unknown escape '${sequence}' in a quoted name`);
    return value;
  });
}

function safe(index: number, text: string): number {
  if (!Number.isSafeInteger(index)) throw bad(text, "an index is out of range");
  return index;
}
