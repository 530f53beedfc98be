import type { Expr, TextPart } from "#runtime/plan/index.ts";
import type { TemplatePart } from "../../1-read/markers/marker.ts";
import { marker as codes } from "../../diagnostics/codes/marker.ts";
import type { Finding } from "../../diagnostics/diagnostic.ts";
import { isFinding, pathExpr, readPath } from "./paths.ts";
import { textOf } from "./reads.ts";

/**
 * A piece of a path: literal text, or one key that a marker makes together with the literal text that touches it (spec/language 2.8 I). In
 * brackets with a filter, a piece may also be a value with which the filter compares.
 */
export type PathPiece = string | { readonly key: Expr } | Operand;

interface Operand {
  readonly fill: "path_value" | "path_text";
  readonly of: Expr;
}

type Hole = Exclude<TextPart, string>;

/** One character of the path, or a hole. */
type Token = string | Hole;

/**
 * Cuts a path at its holes. A marker is exactly one key: dots and brackets in its value are part of the name, and so is a literal `user_`
 * before it.
 */
export function pathPieces(parts: readonly TemplatePart[], hole: (part: Extract<TemplatePart, { kind: "marker" }>) => Expr): PathPiece[] {
  const tokens = parts.flatMap((part): readonly Token[] => (part.kind === "text" ? [...part.text] : [{ fill: "text", of: hole(part) }]));
  const pieces: PathPiece[] = [];
  for (let i = 0; i < tokens.length; ) {
    const segment = segmentAt(tokens, i);
    for (const piece of piecesOf(segment)) {
      const last = pieces.at(-1);
      if (typeof piece === "string" && typeof last === "string") pieces[pieces.length - 1] = last + piece;
      else pieces.push(piece);
    }
    i += segment.length;
  }
  return pieces.map(withoutDot).filter((piece) => piece !== "");
}

/**
 * A dot before a key that a marker makes is not part of the literal path. Two dots are the `..` of a `$` path, and a mistake in any other
 * path.
 */
function withoutDot(piece: PathPiece, i: number, all: readonly PathPiece[]): PathPiece {
  const next = all[i + 1];
  const isBeforeKey = typeof next === "object" && "key" in next;
  return typeof piece === "string" && isBeforeKey && /(?<!\.)\.$/.test(piece) ? piece.slice(0, -1) : piece;
}

/** The tokens of one segment: from `[` to its `]`, a token that stands alone, or a name. */
function segmentAt(tokens: readonly Token[], start: number): readonly Token[] {
  if (tokens[start] === "[") return tokens.slice(start, bracketEnd(tokens, start));
  if (isAlone(tokens, start)) return tokens.slice(start, start + 1);
  let end = start + 1;
  while (end < tokens.length && tokens[end] !== "[" && !isAlone(tokens, end)) end += 1;
  return tokens.slice(start, end);
}

/**
 * True for a token that is no part of a name: a dot, a `]` without its `[`, the `$` of a path, or white space at an end of the path, which
 * is not allowed.
 */
function isAlone(tokens: readonly Token[], i: number): boolean {
  const token = tokens[i];
  if (typeof token !== "string") return false;
  return token === "." || token === "]" || (i === 0 && token === "$") || (token.trim() === "" && (i === 0 || i === tokens.length - 1));
}

/** The index behind the `]` that closes the brackets at `start`; the end of the path when they are not closed. */
function bracketEnd(tokens: readonly Token[], start: number): number {
  const isQuoted = quotes();
  let depth = 0;
  for (let i = start; i < tokens.length; i++) {
    if (isQuoted(tokens[i])) continue;
    if (tokens[i] === "[") depth += 1;
    else if (tokens[i] === "]") depth -= 1;
    if (depth === 0) return i + 1;
  }
  return tokens.length;
}

/** Makes a function that gets one token after the other, and says of each whether it stands between quotes. */
function quotes(): (token: Token | undefined) => boolean {
  let quote: Token | undefined;
  let isEscaped = false;
  return (token) => {
    const before = quote;
    if (quote === undefined) quote = token === '"' || token === "'" ? token : undefined;
    else if (isEscaped) isEscaped = false;
    else if (token === "\\") isEscaped = true;
    else if (token === quote) quote = undefined;
    return before !== undefined && quote !== undefined;
  };
}

/** For each token, true when it stands between quotes. */
function inQuotes(tokens: readonly Token[]): readonly boolean[] {
  const isQuoted = quotes();
  return tokens.map((token) => isQuoted(token));
}

function piecesOf(segment: readonly Token[]): readonly PathPiece[] {
  if (segment.every((token) => typeof token === "string")) return [segment.join("")];
  if (segment[0] !== "[") return [{ key: keyOf(segment) }];
  const name = segment.at(-1) === "]" ? nameIn(segment.slice(1, -1)) : undefined;
  if (name !== undefined) return [{ key: name }];
  const quoted = inQuotes(segment);
  return segment.map((token, i) =>
    typeof token === "string" ? token : { fill: quoted[i] === true ? "path_text" : "path_value", of: token.of },
  );
}

/** The key of brackets with only a marker or only a name in quotes; undefined for other brackets. */
function nameIn(inside: readonly Token[]): Expr | undefined {
  if (inside.length === 1) return keyOf(inside);
  const quoted = inQuotes(inside);
  const between = inside.slice(1, -1);
  const isName = quoted[0] === false && quoted.at(-1) === false && between.length > 0 && between.every((_, i) => quoted[i + 1]);
  return isName ? keyOf(between) : undefined;
}

function keyOf(tokens: readonly Token[]): Expr {
  const [only] = tokens;
  return tokens.length === 1 && typeof only === "object" ? only.of : textOf(tokens);
}

/** The text of a path that a transform parses at run time: keys made by markers are quoted, so that they stay one key. */
export function pathText(pieces: readonly PathPiece[]): Expr {
  return textOf(pieces.map((piece) => (typeof piece === "object" && "key" in piece ? { fill: "path_key", of: piece.key } : piece)));
}

/** Reads a path with holes from the value of `base`, without ever building the path as a text. */
export function readPieces(base: Expr, pieces: readonly PathPiece[]): Expr | Finding {
  if (!pieces.every(isKeyOrText)) return codes.badPath(wordsOf(pieces), "brackets hold an index, a quoted name or a marker");
  let of = base;
  for (const piece of pieces) {
    if (typeof piece !== "string") {
      if (of.op === "each" || of.op === "count") return codes.badPath(wordsOf(pieces), "a marker cannot follow [*] or count()");
      of = { op: "filter", use: "access", of, args: [piece.key] };
      continue;
    }
    const path = readPath(piece);
    if (isFinding(path)) return path;
    of = pathExpr(of, path);
  }
  return of;
}

const isKeyOrText = (piece: PathPiece): piece is Exclude<PathPiece, Operand> => typeof piece === "string" || "key" in piece;

const wordsOf = (pieces: readonly PathPiece[]): string => pieces.map((piece) => (typeof piece === "string" ? piece : "a|…|")).join("");
