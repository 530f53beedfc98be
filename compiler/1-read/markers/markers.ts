import { build } from "../../diagnostics/codes/build.ts";
import { shape } from "../../diagnostics/codes/file.ts";
import { marker as codes } from "../../diagnostics/codes/marker.ts";
import { readJson } from "./json-grammar.ts";
import type { Marker, MarkerStep, Problem, Range, TemplatePart } from "./marker.ts";
import { readBody } from "./marker-body.ts";

export interface Parsed {
  readonly text: string;
  readonly parts: readonly TemplatePart[];
  readonly problems: readonly Problem[];
}

/**
 * The deepest nesting of markers in arguments of markers, and the longest marker in characters: bounds for the parser, far above real use.
 */
const deepest = 16;
const longest = 16_384;
/** The most markers without an end in one text: for each, the rest of its line is searched. */
const mostUnclosed = 256;

/** A place where a marker may start, or an escaped `\a|`, which never is a marker (spec/language 2.2). */
const starts = /\\a\||(?<![A-Za-z0-9_])a\|(?=[A-Za-z_])/g;

/** A start in a text that may be JSON: an escape such as `\n` before it counts as one character that is no letter (spec/language 2.2). */
const startInText = String.raw`(?=a\|[A-Za-z_])(?:(?<![A-Za-z0-9_])|(?<=(?<!\\)(?:\\\\)*\\(?:[bfnrt]|u[0-9A-Fa-f]{4})))a\|`;

/** The starts in a text without a language of its own, as in `"*Title*\na|body::title|"`. */
const startsInText = new RegExp(String.raw`\\a\||${startInText}`, "g");

/** The starts in a text that is JSON, where `\\` is also one character: `"C:\\a|body::name|"` holds a marker. */
const startsInJson = new RegExp(String.raw`\\a\|(?<=(?<!\\)(?:\\\\)*\\a\|)|${startInText}`, "g");

/**
 * Finds the markers of a text: this is the only parser of markers (spec/language 2.2, 2.3). It never throws. With `code` the text is in a
 * language of its own (SQL, a regular expression), where a start that forms no marker is literal. In any other text that is JSON with a
 * value for each marker, `\\` before `a|` is one character of JSON, and escapes no marker.
 */
export function parseTemplate(text: string, { code = false }: { readonly code?: boolean } = {}): Parsed {
  if (!text.includes("a|")) return { text, parts: text === "" ? [] : [{ kind: "text", text, start: 0, end: text.length }], problems: [] };
  const open = code ? undefined : openForm(text);
  if (open !== undefined) return open;
  const json = !code && text.includes("\\\\a|") ? parsed(text, { code, json: true }) : undefined;
  return json !== undefined && !("stopped" in readJson(json.parts)) ? json : parsed(text, { code, json: false });
}

function parsed(text: string, kind: Pick<Range, "code" | "json">): Parsed {
  const problems: Problem[] = [];
  const range = { text, from: 0, to: text.length, ...kind, depth: 0, problems, unclosed: { left: mostUnclosed } };
  return { text, parts: scan(range), problems };
}

/** True when the text holds a marker, or a broken marker. It is used for fields that must be static. */
export const hasMarker = (text: string): boolean => {
  const { parts, problems } = parseTemplate(text);
  return problems.length > 0 || parts.some((part) => part.kind === "marker");
};

/** The marker of a text that is one marker; else undefined. `around` matches white space that does not count. */
export function onlyMarker({ parts }: Pick<Parsed, "parts">, around?: RegExp): Marker | undefined {
  const rest = around === undefined ? parts : parts.filter((part) => part.kind === "marker" || !around.test(part.text));
  const [first] = rest;
  return rest.length === 1 && first?.kind === "marker" ? first : undefined;
}

/** The parts of a range. Problems are added to the list of the range. Text that is no marker, or a broken one, stays literal text. */
function scan(range: Range): TemplatePart[] {
  const { text, from, to, code, json, problems } = range;
  const parts: TemplatePart[] = [];
  let literal = from;
  const keep = (end: number): void => {
    if (end > literal) parts.push({ kind: "text", text: text.slice(literal, end), start: literal, end });
  };
  const pattern = new RegExp(code ? starts : json ? startsInJson : startsInText);
  pattern.lastIndex = from;
  for (let match = pattern.exec(text); match !== null && match.index < to; match = pattern.exec(text)) {
    const start = match.index;
    if (match[0] === "\\a|") {
      keep(start);
      parts.push({ kind: "text", text: "a|", start, end: start + 3 });
      literal = start + 3;
      continue;
    }
    const marker = readMarker(range, start, literal);
    if (marker === undefined) continue;
    if ("finding" in marker) problems.push(marker);
    else {
      keep(marker.start);
      parts.push(marker);
      literal = marker.end;
    }
    pattern.lastIndex = marker.end;
  }
  keep(to);
  return parts;
}

const wrapper = /(?:^|[^A-Za-z0-9_])(single_quote|double_quote|json_esc|json_escape|json_stringify)\($/;

/**
 * The marker at `start`, or the problem with it; undefined where the two characters are literal. `after` is the end of the part before it.
 */
function readMarker(range: Range, start: number, after: number): Marker | Problem | undefined {
  const { text, code } = range;
  const close = closing(range, start + 2);
  if (close === undefined) {
    const line = text.indexOf("\n", start);
    const end = Math.min(line < 0 ? range.to : line, range.to);
    return code ? undefined : { finding: codes.notTerminated(), start, end };
  }
  if (range.depth >= deepest)
    return { finding: build.tooMuch(`markers stand in each other more than ${deepest} deep`), start, end: close + 1 };
  const body = readBody({ ...range, from: start + 2, to: close }, start, scan);
  if (body === undefined) return undefined;
  if ("finding" in body) return body;
  const name =
    text[close + 1] === ")" && close + 1 < range.to ? wrapper.exec(text.slice(Math.max(after, start - 20), start))?.[1] : undefined;
  if (name === undefined) return { kind: "marker", ...body, start, end: close + 1 };
  const steps: MarkerStep[] = [...body.steps, { kind: "filter", name }];
  return { kind: "marker", ...body, steps, start: start - name.length - 1, end: close + 2 };
}

/** The pipe that ends a marker: the first one outside brackets that is not escaped, on the same line. */
function closing({ text, to, unclosed }: Range, from: number): number | undefined {
  const limit = unclosed.left === 0 ? from : Math.min(to, from + longest);
  let depth = 0;
  for (let i = from; i < limit; i++) {
    const c = text[i];
    if (c === "\n" || c === "\r") break;
    if (c === "\\" && text[i + 1] === "|") i += 1;
    else if (c === "|" && depth === 0) return i;
    else if (c === "(" || c === "[" || c === "{") depth += 1;
    else if ((c === ")" || c === "]" || c === "}") && depth > 0) depth -= 1;
  }
  unclosed.left = Math.max(0, unclosed.left - 1);
  return undefined;
}

/**
 * Deprecated forms that stand for a marker when they are the whole scalar: `a|NAME`, `a|NAME::path`, `a|NAME::` and `a|NAME::|`
 * (spec/language 2.3).
 */
function openForm(text: string): Parsed | undefined {
  const { name, path = "" } =
    /^a\|(?<name>[A-Za-z_](?:[A-Za-z0-9_]|-(?!>))*)(?:::(?:\||(?<path>[^|\r\n]*)))?$/.exec(text.trim())?.groups ?? {};
  if (name === undefined || path.includes("->")) return undefined;
  const root = name === "header" ? "headers" : name;
  const closed = path === "" ? `a|${root}|` : `a|${root}::${path}|`;
  const { parts, problems } = parseTemplate(closed);
  const start = text.length - text.trimStart().length;
  const end = text.trimEnd().length;
  const whole = (problem: Problem): Problem => ({ ...problem, start, end });
  return {
    text,
    parts: parts.map((part) => ({ ...part, start, end })),
    problems: [whole({ finding: shape.openMarker(closed), start, end }), ...problems.map(whole)],
  };
}
