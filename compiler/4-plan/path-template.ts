import type { Expr, Part } from "#runtime/plan.ts";
import { marker as codes } from "../diagnostics/codes/marker.ts";
import type { Finding } from "../diagnostics/diagnostic.ts";
import type { TemplatePart } from "./marker.ts";
import { isFinding, pathExpr, readPath } from "./paths.ts";
import { textOf } from "./reads.ts";

/** A stretch of a path: literal text, or one key that a marker makes, with the literal text that touches it (language.md 2.8 I). */
export type PathPiece = string | { readonly key: Expr };

type Hole = Exclude<Part, string>;

/** One character of the path, or a hole. */
type Token = string | Hole;

/** Cuts a path at its holes. A marker is exactly one key: dots and brackets in its value are part of the name, `user_` before it is, too. */
export function pathPieces(parts: readonly TemplatePart[], hole: (part: Extract<TemplatePart, { kind: "marker" }>) => Expr): PathPiece[] {
  const tokens = parts.flatMap((part): readonly Token[] => (part.kind === "text" ? [...part.text] : [{ fill: "text", of: hole(part) }]));
  const pieces: PathPiece[] = [];
  for (let i = 0; i < tokens.length; ) {
    const segment = segmentAt(tokens, i);
    const key = keyOf(segment);
    const last = pieces.at(-1);
    const text = segment.map((token) => (typeof token === "string" ? token : "")).join("");
    if (key !== undefined) pieces.push({ key });
    else if (typeof last === "string") pieces[pieces.length - 1] = last + text;
    else pieces.push(text);
    i += segment.length;
  }
  return pieces.map(withoutDot).filter((piece) => piece !== "");
}

/** A dot before a key that a marker makes is no part of the literal path. */
function withoutDot(piece: PathPiece, i: number, all: readonly PathPiece[]): PathPiece {
  return typeof piece === "string" && typeof all[i + 1] === "object" && piece.endsWith(".") ? piece.slice(0, -1) : piece;
}

/** From `[` to `]`, one dot, or what stands between those. */
function segmentAt(tokens: readonly Token[], start: number): readonly Token[] {
  const first = tokens[start];
  if (first === "." || first === "]") return [first];
  const end = tokens.findIndex((token, i) => i > start && (first === "[" ? token === "]" : token === "." || token === "["));
  if (end < 0) return tokens.slice(start);
  return tokens.slice(start, first === "[" ? end + 1 : end);
}

/** The key that a segment with a hole stands for; undefined for a literal segment. Brackets and quotes around it only say that it is a key. */
function keyOf(segment: readonly Token[]): Expr | undefined {
  const inside = segment[0] === "[" ? segment.slice(1, segment.at(-1) === "]" ? -1 : undefined) : segment;
  if (inside.every((token) => typeof token === "string")) return undefined;
  const quote = segment[0] === "[" && (inside[0] === '"' || inside[0] === "'") && inside.length > 1 && inside.at(-1) === inside[0];
  const parts = quote ? inside.slice(1, -1) : inside;
  const [only] = parts;
  return parts.length === 1 && typeof only === "object" ? only.of : textOf(parts);
}

/** The text of a path that a transform parses at run time: keys made by markers are quoted, so that they stay one key. */
export function pathText(pieces: readonly PathPiece[]): Expr {
  return textOf(pieces.map((piece) => (typeof piece === "string" ? piece : { fill: "path_key", of: piece.key })));
}

/** Reads a path with holes from what `base` gives, without ever putting it together as text. */
export function readPieces(base: Expr, pieces: readonly PathPiece[]): Expr | Finding {
  let of = base;
  for (const piece of pieces) {
    if (typeof piece !== "string") {
      if (of.op === "each" || of.op === "count") return codes.badPath(shown(pieces), "a marker cannot follow [*] or count()");
      of = { op: "filter", use: "access", of, args: [piece.key] };
      continue;
    }
    const path = readPath(piece);
    if (isFinding(path)) return path;
    of = pathExpr(of, path);
  }
  return of;
}

const shown = (pieces: readonly PathPiece[]): string => pieces.map((piece) => (typeof piece === "string" ? piece : "a|…|")).join("");
