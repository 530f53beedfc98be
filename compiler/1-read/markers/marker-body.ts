import type { Json } from "#runtime/value/json.ts";
import { isNumberText } from "#runtime/value/values.ts";
import { shape } from "../../diagnostics/codes/file.ts";
import { marker as codes } from "../../diagnostics/codes/marker.ts";
import type { Finding } from "../../diagnostics/diagnostic.ts";
import { nearest } from "../../diagnostics/nearest.ts";
import { calledFilterFor } from "../../other-tools/filters.ts";
import { filterArity, filterNames } from "./filter-words.ts";
import type { Argument, MarkerStep, Problem, Range, Source, TemplatePart } from "./marker.ts";

// Reads the text between the pipes of a marker (spec/language 2.2).

const wrapped = /^\s*(single_quote|double_quote|json_esc|json_escape|json_stringify)\(/;
const rootName = /^[A-Za-z_](?:[A-Za-z0-9_]|-(?!>))*/;

/** Finds the markers of a range: an argument of a step may hold some. */
type Scan = (range: Range) => readonly TemplatePart[];

/**
 * Reads `body` of the grammar. `start` is the offset at which the marker begins. Undefined for text that is no marker, which only code
 * fields may hold.
 */
export function readBody(
  range: Range,
  start: number,
  scan: Scan,
): (Source & { readonly steps: readonly MarkerStep[] }) | Problem | undefined {
  const problem = (finding: Finding): Problem => ({ finding, start, end: range.to + 1 });
  if (slice(range).includes("<OR>")) return problem(codes.orRemoved());
  const steps: MarkerStep[] = [];
  let inner = range;
  // Wrappers are read from the outside in: steps inside a wrapper run before it, and steps behind it run after it.
  for (let name = wrapped.exec(slice(inner)); name !== null; name = wrapped.exec(slice(inner))) {
    const open = inner.from + name[0].length;
    const close = closingParenthesis(inner, open);
    if (close === undefined) break;
    const [junk, ...after] = pieces({ ...inner, from: close + 1 });
    if (junk === undefined || slice(junk).trim() !== "") break;
    const read = readSteps(after, scan);
    if ("message" in read) return problem(read);
    steps.unshift({ kind: "filter", name: name[1] ?? "" }, ...read);
    inner = { ...inner, from: open, to: close };
  }
  const [first, ...after] = pieces(inner);
  const source = readSource(first === undefined ? "" : unescaped(slice(first)).trim(), range.code);
  if (source === undefined) return undefined;
  if ("message" in source) return problem(source);
  const own = readSteps(after, scan);
  if ("message" in own) return problem(own);
  if (source.root === "header") {
    range.problems.push(problem(shape.openMarker(range.text.slice(start, range.to + 1).replace("header", "headers"))));
  }
  return { ...source, root: source.root === "header" ? "headers" : source.root, steps: [...own, ...steps] };
}

/** The part before the first `->`. */
function readSource(source: string, code: boolean): Source | Finding | undefined {
  const root = rootName.exec(source)?.[0] ?? "";
  const rest = source.slice(root.length).trimStart();
  if (rest === "") return root === "" ? codes.emptyPart() : { root };
  if (root === "timestamp" && rest.startsWith(":")) return { root, format: rest.slice(1).trim() };
  if (rest.startsWith("::jq::")) return rest.length > 6 ? { root, jq: rest.slice(6).trim() } : codes.emptyPart();
  if (rest.startsWith("::")) {
    const path = rest.slice(2).trim();
    return path === "" || path.startsWith("::") || path.endsWith("->") ? codes.emptyPart() : { root, path };
  }
  if (code) return undefined;
  if (rest.startsWith("->")) return codes.emptyPart();
  if (rest.startsWith("(") && filterArity(root) === undefined) return unknownFilter(root);
  return { root: /^.*?(?=::|$)/s.exec(source)?.[0] ?? source };
}

function readSteps(ranges: readonly Range[], scan: Scan): MarkerStep[] | Finding {
  const steps: MarkerStep[] = [];
  for (const range of ranges) {
    const step = readStep(range, scan);
    if ("message" in step) return step;
    steps.push(step);
  }
  return steps;
}

/** Reads the text after a `->`: a known filter, with or without its argument, else a path into the value. */
function readStep(range: Range, scan: Scan): MarkerStep | Finding {
  const step = unescaped(slice(range)).trim();
  const call = /^\s*([A-Za-z_][A-Za-z0-9_]*)\s*\(/.exec(slice(range));
  const close = call === null ? undefined : closingParenthesis(range, range.from + call[0].length);
  const name = call !== null && close !== undefined && slice({ ...range, from: close + 1 }).trim() === "" ? call[1] : undefined;
  if (name === undefined || call === null || close === undefined) {
    if (step.endsWith("->")) return codes.emptyPart();
    if (call !== null && !range.code) return brokenCall(step, call[1] ?? "", close !== undefined);
    const arity = filterArity(step);
    if (arity === undefined) return { kind: "path", path: step };
    return arity === 0 ? { kind: "filter", name: step } : codes.filterArguments(step, arity);
  }
  const arity = filterArity(name);
  if (arity === undefined) return unknownFilter(name);
  const inside = { ...range, from: range.from + call[0].length, to: close };
  if (arity === 1) return { kind: "filter", name, argument: readArgument(inside, scan) };
  return slice(inside).trim() === "" ? { kind: "filter", name } : codes.filterArguments(name, arity);
}

const unknownFilter = (name: string): Finding => codes.unknownFilter(name, calledFilterFor(name) ?? nearest(name, filterNames));

/** The mistake in a step with a name and a parenthesis. Such a step is no key, and the call of a filter must end at the end of the step. */
function brokenCall(step: string, name: string, isClosed: boolean): Finding {
  if (filterArity(name) === undefined) return unknownFilter(name);
  return codes.badPath(
    step,
    isClosed ? `text stands behind the parenthesis that closes ${name}(` : `the parenthesis of ${name}( is not closed`,
  );
}

/** An argument: a template when it holds a marker, else a literal. */
function readArgument(range: Range, scan: Scan): Argument {
  const trimmed = trim(range);
  const parts = scan({ ...unquoted(trimmed), code: false, depth: range.depth + 1 });
  if (parts.some((part) => part.kind === "marker")) {
    return { kind: "template", parts: parts.map((part) => (part.kind === "text" ? { ...part, text: unescaped(part.text) } : part)) };
  }
  return { kind: "literal", value: literal(unescaped(slice(trimmed)).replaceAll("\\a|", "a|")) };
}

/** The value of an argument without markers (spec/language 2.2). */
function literal(text: string): Json {
  const quote = text[0];
  if (text.length > 1 && (quote === "'" || quote === '"') && text.endsWith(quote)) return text.slice(1, -1);
  if (text === "" || text === "null") return null;
  if (text === "true" || text === "false") return text === "true";
  if (isNumberText(text) && Number.isFinite(Number(text))) return Number(text);
  return quote === "[" || quote === "{" ? structure(text) : text;
}

function structure(text: string): Json {
  try {
    // The result of JSON.parse is always JSON.
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

/**
 * choice: quotes around a template have the same meaning as quotes around a literal, so `default('a|var::x|')` is the text without quotes.
 */
function unquoted(range: Range): Range {
  const text = slice(range);
  const quote = text[0];
  const quoted = text.length > 1 && (quote === "'" || quote === '"') && text.indexOf(quote, 1) === text.length - 1;
  return quoted ? { ...range, from: range.from + 1, to: range.to - 1 } : range;
}

/** Splits at every `->` that stands outside brackets and before a name. The first piece is the source. */
function pieces(range: Range): Range[] {
  const { text, to } = range;
  const out: Range[] = [];
  let { from } = range;
  let depth = 0;
  for (let i = from; i < to; i++) {
    const c = text[i];
    if (c === "(" || c === "[" || c === "{") depth += 1;
    else if ((c === ")" || c === "]" || c === "}") && depth > 0) depth -= 1;
    else if (c === "-" && depth === 0 && arrow(text, i, to)) {
      out.push({ ...range, from, to: i });
      from = i + 2;
    }
  }
  return [...out, { ...range, from }];
}

function arrow(text: string, at: number, to: number): boolean {
  const name = /->\s*[A-Za-z_]/y;
  name.lastIndex = at;
  return name.test(text) && name.lastIndex <= to;
}

/** The index of the parenthesis that closes the one before `from`. */
function closingParenthesis({ text, to }: Range, from: number): number | undefined {
  let depth = 0;
  for (let i = from; i < to; i++) {
    const c = text[i];
    if (c === ")" && depth === 0) return i;
    if (c === "(" || c === "[" || c === "{") depth += 1;
    else if ((c === ")" || c === "]" || c === "}") && depth > 0) depth -= 1;
  }
  return undefined;
}

const slice = ({ text, from, to }: Range): string => text.slice(from, to);

const unescaped = (text: string): string => text.replaceAll("\\|", "|");

function trim(range: Range): Range {
  const text = slice(range);
  return { ...range, from: range.from + text.length - text.trimStart().length, to: range.to - (text.length - text.trimEnd().length) };
}
