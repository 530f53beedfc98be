import { type CST, Lexer } from "yaml";

/** A bracket or a quote that is never closed. */
export interface Opener {
  readonly offset: number;
  readonly character: string;
  /** True when a comment behind the bracket, on the same line, holds the bracket that would close it. */
  readonly isCut?: boolean;
}

/**
 * The opening bracket or quote whose end was probably forgotten. That is a quote that is open at the end of the text; otherwise a bracket
 * that one of the wrong kind closes, as in `{x: [1, 2}`; otherwise the first open bracket.
 */
export function firstOpen(document: CST.Token | undefined, text: string): Opener | undefined {
  const all = openers(document);
  const [first] = all;
  // A quote that is open at the end has taken every closing bracket behind it.
  const quote = all.find(({ character }) => /["']/.test(character));
  if (first === undefined || quote !== undefined) return quote;
  const open = mismatched(text, first.offset) ?? first;
  return { ...open, isCut: isCut(open, text) };
}

const closers: Readonly<Record<string, string>> = { "{": "}", "[": "]" };

/** The bracket behind an offset that a bracket of the wrong kind closes; undefined when there is none. */
function mismatched(text: string, from: number): Opener | undefined {
  const open: Opener[] = [];
  for (const { source, offset } of pieces(text)) {
    if (offset < from) continue;
    if (source === "{" || source === "[") open.push({ offset, character: source });
    if (source !== "}" && source !== "]") continue;
    const last = open.pop();
    if (last === undefined) return undefined;
    if (closers[last.character] !== source) return last;
  }
  return undefined;
}

function isCut({ offset, character }: Opener, text: string): boolean {
  const closer = closers[character] ?? "";
  const end = text.indexOf("\n", offset);
  return [...pieces(text)].some(
    (piece) => piece.source.startsWith("#") && piece.offset > offset && (end < 0 || piece.offset < end) && piece.source.includes(closer),
  );
}

const marks: ReadonlySet<string> = new Set(["\u0002", "\u0018", "\u001f"]);

/** The pieces of a text, with their places. The lexer puts marks of its own between them: one control character each. */
function* pieces(text: string): Generator<{ readonly source: string; readonly offset: number }> {
  let offset = 0;
  for (const source of new Lexer().lex(text)) {
    if (marks.has(source)) continue;
    yield { source, offset };
    offset += source.length;
  }
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
