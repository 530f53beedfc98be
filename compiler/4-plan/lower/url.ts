import type { Expr, TextPart } from "#runtime/plan/index.ts";
import { type Hole, textOf } from "./reads.ts";

/** The zone of a piece of a URL: scheme and authority, path, or query and fragment. */
type Zone = "origin" | "path" | "query";

type Piece = { readonly zone: Zone; readonly text: string } | { readonly zone: Zone; readonly hole: Hole };

/**
 * A URL with holes (spec/language 5.1.2). The literal text is split here, when compiling. A hole that begins the URL is inserted as it is,
 * and so are values of the configuration. Any other hole in scheme and authority is one label or a port; everywhere else values are
 * percent-encoded, and in the path they may not make a segment `.` or `..`.
 */
export function urlText(parts: readonly (string | Hole)[]): Expr {
  const pieces = zoned(parts);
  const out: TextPart[] = [];
  for (let i = 0; i < pieces.length; ) {
    const segment = segmentAt(pieces, i);
    out.push(...filled(segment, i === 0));
    i += segment.length;
  }
  return textOf(out);
}

/** The pieces of a URL, each in one zone; in the path a slash is a piece of its own. */
function zoned(parts: readonly (string | Hole)[]): Piece[] {
  const flat = parts.map((part) => (typeof part === "string" ? part : "\0")).join("");
  const scheme = /^[^/?#\\]*:\/\//.exec(flat)?.[0].length ?? 0;
  const path = search(flat, /[/?#\\]/, scheme);
  const query = search(flat, /[?#]/, path);
  const zoneAt = (offset: number): Zone => (offset < path ? "origin" : offset < query ? "path" : "query");
  let offset = 0;
  return parts.flatMap((part): Piece[] => {
    const start = offset;
    offset += typeof part === "string" ? part.length : 1;
    if (typeof part !== "string") return [{ zone: zoneAt(start), hole: part }];
    const cut = (at: number): number => Math.min(Math.max(at - start, 0), part.length);
    const [origin, inPath, rest] = [part.slice(0, cut(path)), part.slice(cut(path), cut(query)), part.slice(cut(query))];
    const segments = inPath.split(/([/\\])/).map((text) => ({ zone: "path", text }) as const);
    return [{ zone: "origin", text: origin } as const, ...segments, { zone: "query", text: rest } as const].filter(
      ({ text }) => text !== "",
    );
  });
}

function search(text: string, pattern: RegExp, from: number): number {
  const index = text.slice(from).search(pattern);
  return index < 0 ? text.length : from + index;
}

/** The pieces from `i` that make one path segment, or the piece alone. */
function segmentAt(pieces: readonly Piece[], i: number): readonly Piece[] {
  let end = i;
  while (inSegment(pieces[end])) end += 1;
  return pieces.slice(i, Math.max(end, i + 1));
}

const inSegment = (piece: Piece | undefined): boolean => piece?.zone === "path" && !("text" in piece && /^[/\\]$/.test(piece.text));

function filled(segment: readonly Piece[], begins: boolean): TextPart[] {
  const literal = segment.map((piece) => ("text" in piece ? piece.text : "")).join("");
  const asIs = segment.some((piece) => "hole" in piece && piece.hole.trusted);
  // A segment needs a guard only when its literal text has no other characters than dots, written as `.` or `%2e`.
  const guarded = segment[0]?.zone === "path" && /^[.%2eE]*$/.test(literal);
  if (!guarded || asIs || segment.length < 2) return segment.map((piece) => one(piece, guarded, begins));
  // Several pieces together may make the dots, so the segment is checked as a whole.
  return [
    { fill: "url_segment", of: textOf(segment.map((piece) => ("text" in piece ? piece.text : { fill: "text", of: piece.hole.of }))) },
  ];
}

function one(piece: Piece, guarded: boolean, begins: boolean): TextPart {
  if ("text" in piece) return piece.text;
  const { of, trusted } = piece.hole;
  if (trusted) return { fill: "raw", of };
  if (piece.zone === "origin") return { fill: begins ? "url_origin" : "url_label", of };
  return { fill: guarded ? "url_segment" : "url_component", of };
}
