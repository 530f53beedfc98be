import { Composer, type CST, Lexer, Parser, type YAMLParseError, type YAMLWarning, type Document as YamlDocument } from "yaml";
import type { Span } from "#runtime/plan/index.ts";
import { yaml } from "../diagnostics/codes/file.ts";
import type { Report } from "../diagnostics/diagnostic.ts";
import { lineTable } from "../diagnostics/position.ts";

/** Levels of nesting in a file (spec/language 1.1). */
export const depthLimit = 100;

/**
 * The first YAML document of a text by the 1.2 core schema, still without our rules.
 * Undefined when its syntax is broken: what could be made of the rest would only produce consequences of the same mistake.
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
  const tokens = tokensOf(text);
  if (typeof tokens === "number") {
    report(yaml.tooLarge("nesting", `${depthLimit} levels`), at(tokens));
    return undefined;
  }
  const documents = tokens.filter((token) => token.type === "document");
  const second = documents[1];
  if (second !== undefined) {
    const { offset } = second.start.find(({ type }) => type === "doc-start") ?? second;
    report(yaml.secondDocument(), at(offset, offset + 3));
  }

  const composer = new Composer({
    version: "1.2",
    schema: "core",
    resolveKnownTags: false,
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: "silent",
  });
  const first = composer.compose(untilSecond(tokens), true, text.length).next().value;
  if (first === undefined) return undefined;
  for (const { code, pos } of first.warnings) {
    if (code === "TAG_RESOLVE_FAILED") report(yaml.tag(text.slice(...pos)), at(...pos));
  }
  const versions = first.warnings.filter(({ message }) => message.startsWith("Unsupported YAML version"));
  const faults = syntaxFaults([...first.errors, ...versions], text, documents[0]);
  for (const { reason, start, end } of faults) report(yaml.syntax(reason), at(start, end));
  return faults.length > 0 ? undefined : first;
}

/** Characters that no text of YAML may hold (YAML 1.2.2, 5.1). They are those below U+0020; some are marks of the parser's own. */
const controls = /[^\P{Cc}\t\n\r\x7f-\x9f]/u;

/** Tokens of the text, or the offset where it nests too deep: the parser keeps its own stack, so this cannot overflow ours. */
function tokensOf(text: string): CST.Token[] | number {
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) tokens.push(token);
    // Beside the collections the stack holds the document and the current scalar.
    if (parser.stack.length > depthLimit + 2) return parser.offset;
  }
  for (const token of parser.end()) tokens.push(token);
  return tokens;
}

function* untilSecond(tokens: readonly CST.Token[]): Generator<CST.Token> {
  let documents = 0;
  for (const token of tokens) {
    if (token.type === "document" && ++documents === 2) return;
    yield token;
  }
}

interface Fault {
  readonly reason: string;
  readonly start: number;
  readonly end: number;
}

/** One fault a line; and none after something that was never closed, since all that follows was read as part of it. */
function syntaxFaults(errors: readonly (YAMLParseError | YAMLWarning)[], text: string, document: CST.Token | undefined): Fault[] {
  if (errors.length === 0) return [];
  const lines = lineTable(text);
  const faults = new Map<number, Fault>();
  const open = errors.some(({ message }) => unclosed.test(message)) ? openers(document)[0] : undefined;
  for (const { code, message, pos } of errors) {
    if (open !== undefined && pos[0] >= open.offset) {
      const what = /["']/.test(open.character) ? "this quote" : `this ${open.character}`;
      faults.set(lines.at(open.offset).line, { reason: `${what} is never closed`, start: open.offset, end: open.offset + 1 });
      break;
    }
    const line = lines.at(pos[0]).line;
    if (!faults.has(line)) faults.set(line, { reason: reasons[code] ?? sentence(message), start: pos[0], end: pos[1] });
  }
  return [...faults.values()];
}

const unclosed = /Missing closing|end with a [\]}]/;

/** The parser's own words where they explain little; everything else is its message. */
const reasons: Readonly<Record<string, string>> = {
  BLOCK_AS_IMPLICIT_KEY: "a value on the line of its key cannot hold ': '; put the text in quotes",
  MULTILINE_IMPLICIT_KEY: "expected 'key: value' on this line",
  BAD_INDENT: "the indentation does not fit the lines above",
  TAB_AS_INDENT: "tabs cannot be used for indentation",
};

function sentence(message: string): string {
  if (message.startsWith("Unsupported YAML version"))
    return "%YAML names a version that is not read here; write 1.2, or leave the line out";
  const [first = message] = message.split(/\n|: \n/);
  return first.replace(/[.:]?\s*$/, "").replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
}

interface Opener {
  readonly offset: number;
  readonly character: string;
}

/** Brackets and quotes of a document that are never closed, in text order. */
function openers(token: CST.Token | null | undefined): Opener[] {
  if (token === null || token === undefined) return [];
  switch (token.type) {
    case "document":
      return openers(token.value);
    case "block-map":
    case "block-seq":
      return token.items.flatMap(openersInItem);
    case "flow-collection": {
      const closed = token.end.some(({ type }) => type === "flow-map-end" || type === "flow-seq-end");
      const own = closed ? [] : [{ offset: token.offset, character: token.start.source }];
      return [...own, ...token.items.flatMap(openersInItem)];
    }
    case "double-quoted-scalar":
    case "single-quoted-scalar": {
      const quote = token.source.charAt(0);
      return token.source.length > 1 && token.source.endsWith(quote) ? [] : [{ offset: token.offset, character: quote }];
    }
    default:
      return [];
  }
}

const openersInItem = ({ key, value }: CST.CollectionItem): Opener[] => [...openers(key), ...openers(value)];
