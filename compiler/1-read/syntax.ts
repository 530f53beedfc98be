import type { CST, YAMLParseError, YAMLWarning, Document as YamlDocument } from "yaml";
import { parseBounded, type YamlLimits } from "#runtime/formats/yaml-bounds.ts";
import type { Span } from "#runtime/plan/index.ts";
import { yaml } from "../diagnostics/codes/yaml.ts";
import type { Report } from "../diagnostics/diagnostic.ts";
import { lineTable } from "../diagnostics/position.ts";
import { firstOpen } from "./open-brackets.ts";

/** Limits of a file (spec/language 1.1). The limit of its lines also bounds the tokens; a node that several aliases share exists once. */
export const limits: YamlLimits = {
  depth: 100,
  tokens: Number.POSITIVE_INFINITY,
  expansions: 100,
  expanded: Number.POSITIVE_INFINITY,
};

/**
 * Parses the first YAML document of a text by the 1.2 core schema, without our own rules. Undefined when its syntax is broken: reading the
 * rest would only report consequences of the same mistake.
 */
export function parse(text: string, file: string, report: Report): YamlDocument | undefined {
  const at = (start: number, end = start + 1): Span => ({ file, start, end: Math.min(end, text.length) });
  const control = controls.exec(text);
  if (control !== null) {
    const code = control[0].charCodeAt(0).toString(16).padStart(2, "0");
    report(
      yaml.syntax(`the control character U+00${code.toUpperCase()} is not allowed; in double quotes write \\x${code}`),
      at(control.index),
    );
    return undefined;
  }
  const parsed = parseBounded(text, limits, false);
  if ("exceeded" in parsed) {
    report(yaml.tooLarge("nesting", `${limits.depth} levels`), at(parsed.at));
    return undefined;
  }
  const { tokens, second, document: first } = parsed;
  if (second !== undefined) {
    const { offset } = second.start.find(({ type }) => type === "doc-start") ?? second;
    report(yaml.secondDocument(), at(offset, offset + 3));
  }
  for (const { code, pos } of first.warnings) {
    if (code === "TAG_RESOLVE_FAILED") report(yaml.tag(text.slice(...pos)), at(...pos));
  }
  const versions = first.warnings.filter(({ message }) => message.startsWith("Unsupported YAML version"));
  const [, again] = tokens.filter((token) => token.type === "directive" && /^%YAML\s/.test(token.source));
  if (again !== undefined && again.offset < (first.contents?.range?.[0] ?? text.length)) {
    report(yaml.syntax("%YAML stands twice; remove this line"), at(again.offset, again.offset + 5));
    return undefined;
  }
  const faults = syntaxFaults([...first.errors, ...versions], text, documentIn(tokens));
  for (const { reason, start, end } of faults) report(yaml.syntax(reason), at(start, end));
  return faults.length > 0 ? undefined : first;
}

/**
 * Parses a text with mistakes as far as it goes; undefined when it is nested too deep. A character that YAML forbids counts as a blank.
 * With `here`, lines with faults count as blank, but for the line of this offset.
 */
export function parseAnyhow(text: string, here?: number, rounds = 4): YamlDocument | undefined {
  const legal = controls.test(text) ? text.replaceAll(new RegExp(controls, "gu"), " ") : text;
  const parsed = parseBounded(legal, limits, false);
  if ("exceeded" in parsed) return undefined;
  const { tokens, document } = parsed;
  if (here === undefined || rounds === 0) return document;
  const faults = syntaxFaults(document.errors, legal, documentIn(tokens));
  const mended = faults.reduce((rest, { start }) => withoutLine(rest, start, here), legal);
  return mended === legal ? document : parseAnyhow(mended, here, rounds - 1);
}

/** The text with blanks in place of the line at an offset. The line of `here` stays, as does a bracket or a quote that may go on there. */
function withoutLine(text: string, at: number, here: number): string {
  const { start, end } = lineAround(text, at);
  const own = lineAround(text, here);
  const character = text[at] ?? "";
  const goesOn = /["']/.test(character) && !/^\s*(?:- |[\w$-]+:)/.test(text.slice(own.start, own.end));
  const stays = start === own.start || /[[{]/.test(character) || goesOn;
  return stays ? text : text.slice(0, start) + " ".repeat(end - start) + text.slice(end);
}

function lineAround(text: string, at: number): Pick<Fault, "start" | "end"> {
  const start = text.lastIndexOf("\n", at - 1) + 1;
  const length = text.slice(start).search(/[\r\n]/);
  return { start, end: length < 0 ? text.length : start + length };
}

const documentIn = (tokens: readonly CST.Token[]): CST.Token | undefined => tokens.find(({ type }) => type === "document");

/** Characters that no text of YAML may hold (YAML 1.2.2, 5.1). They are those below U+0020; some are marks of the parser's own. */
const controls = /[^\P{Cc}\t\n\r\x7f-\x9f]/u;

interface Fault {
  readonly reason: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Keeps one fault for each line. After a bracket or quote that is never closed it keeps none, because all that follows was read as a part
 * of it.
 */
function syntaxFaults(errors: readonly (YAMLParseError | YAMLWarning)[], text: string, document: CST.Token | undefined): Fault[] {
  if (errors.length === 0) return [];
  const lines = lineTable(text);
  const faults = new Map<number, Fault>();
  const firstTab = errors.find(({ code }) => code === "TAB_AS_INDENT");
  const open = errors.some(({ message }) => unclosed.test(message)) ? firstOpen(document, text) : undefined;
  for (const { code, message, pos } of errors) {
    if (open !== undefined && pos[0] >= open.offset) {
      const opener = /["']/.test(open.character) ? "this quote" : `this ${open.character}`;
      const why = open.isCut === true ? "; ' #' begins a comment, so put the text around it in quotes" : "";
      faults.set(lines.at(open.offset).line, { reason: `${opener} is never closed${why}`, start: open.offset, end: open.offset + 1 });
      break;
    }
    const line = lines.at(pos[0]).line;
    const isConsequence = (faults.size > 0 && lost.test(message)) || (code === "TAB_AS_INDENT" && pos !== firstTab?.pos);
    if (faults.has(line) || isConsequence) continue;
    const deeper = code === "BLOCK_AS_IMPLICIT_KEY" ? deeperLine(text, pos[0]) : undefined;
    if (deeper !== undefined)
      faults.set(line, { reason: "this line is indented more than the key above, which has a value already", ...deeper });
    else
      faults.set(line, {
        reason: unexpected(text, pos[0], message) ?? lastColon(code, text, pos[0]) ?? reasons[code] ?? sentence(message),
        start: pos[0],
        end: pos[1],
        ...indicator(text, pos[0], message),
      });
  }
  return [...faults.values()];
}

/**
 * The next line with text, which is then indented more than the key of the value at `start`. Undefined where that value holds a key itself.
 */
function deeperLine(text: string, start: number): Pick<Fault, "start" | "end"> | undefined {
  const [value = ""] = /^[^\n]*/.exec(text.slice(start)) ?? [];
  if (/:(?:\s|$)/.test(value)) return undefined;
  const end = start + value.length;
  const [lead = "", line] = /^\n(?:[ \t]*(?:#[^\n]*)?\r?\n)*[ \t]*([^\s#][^\n]*)/.exec(text.slice(end)) ?? [];
  return line === undefined ? undefined : { start: end + lead.length - line.length, end: end + lead.trimEnd().length };
}

/** Words for a character at which the parser expected the end of a value. */
function unexpected(text: string, start: number, message: string): string | undefined {
  if (message.startsWith("Unexpected block-seq-ind on same line"))
    return "a list begins on the line below its key; put text that begins with - in quotes";
  if (!/^Unexpected .* (?:token|at node end)/.test(message)) return undefined;
  const quote = /["'](?=\s*$)/.exec(text.slice(Math.max(0, start - 3), start))?.[0];
  if (quote === "'") return "text follows the closing quote; inside '…' a quote is written ''";
  if (quote === '"') return 'text follows the closing quote; inside "…" a quote is written \\"';
  const character = text[start] ?? "";
  return /[[\]{}]/.test(character) ? `'${character}' cannot stand inside a value without quotes; put the value in quotes` : undefined;
}

/** A text that begins with the mark of an alias, an anchor or a block: the parser stops somewhere behind the mark. */
function indicator(text: string, start: number, message: string): Fault | undefined {
  const marks = /^(?:Unexpected alias|Alias cannot)/.test(message)
    ? "*"
    : /^Anchor cannot/.test(message)
      ? "&"
      : /^(?:Not a YAML token|Block scalar header includes)/.test(message)
        ? "|>"
        : "";
  const from = text.lastIndexOf("\n", start) + 1;
  const at = [...text.slice(from, start + 1)].findIndex(
    (character, i, line) => marks.includes(character) && /[\s[{,]/.test(line[i - 1] ?? ""),
  );
  return marks === "" || at < 0
    ? undefined
    : { reason: `a text without quotes cannot begin with ${text[from + at]}; put it in quotes`, start: from + at, end: from + at + 1 };
}

/** Words for a value without quotes that ends with a colon, which makes it a key. */
function lastColon(code: string, text: string, start: number): string | undefined {
  const [line = ""] = /^[^\n]*/.exec(text.slice(start)) ?? [];
  const isEnd = code === "BLOCK_AS_IMPLICIT_KEY" && !/:[ \t]+[^\s#]/.test(line) && /:[ \t]*(?:#.*)?\r?$/.test(line);
  return isEnd ? "a value on the line of its key cannot end with ':'; put the text in quotes" : undefined;
}

/** Messages of the parser where it has lost its place, in a list or in the whole document. */
const lost = /^Sequence item without - indicator|^Unexpected .* token in YAML stream/;

const unclosed = /Missing closing|end with a [\]}]/;

/** Our words in place of messages of the parser that explain little. */
const reasons: Readonly<Record<string, string>> = {
  BLOCK_AS_IMPLICIT_KEY: "a value on the line of its key cannot hold ': '; put the text in quotes",
  MULTILINE_IMPLICIT_KEY: "expected 'key: value' on this line",
  BAD_INDENT: "the indentation does not fit the lines above",
  TAB_AS_INDENT: "tabs cannot be used for indentation; write blanks",
};

function sentence(message: string): string {
  if (message.startsWith("Unsupported YAML version"))
    return "%YAML names a version that is not read here; write 1.2, or leave the line out";
  const indicator = /^Plain value cannot start with .* (\S)$/m.exec(message)?.[1];
  if (indicator !== undefined) return `a text without quotes cannot begin with ${indicator}; put it in quotes`;
  const [first = message] = message.split(/\n|: \n/);
  const remedy = message.startsWith("Invalid escape") ? "; inside '…' a backslash stands for itself" : "";
  return first.replace(/[.:]?\s*$/, "").replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase()) + remedy;
}
