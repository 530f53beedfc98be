import { roots } from "#runtime/run/marker-roots.ts";
import { filterWords } from "../../1-read/markers/filter-words.ts";
import type { Place } from "../../2-check/places.ts";
import type { Knowledge } from "../knowledge.ts";
import type { Piece } from "../names/pieces.ts";
import { shapeText } from "../shape-text.ts";

/** The meaning of a part of a marker, and the shape of the value that it reads. */
export function markerDoc(piece: Piece, { node }: Place, text: string, knowledge: Knowledge | undefined): string {
  switch (piece.kind) {
    case "filter": {
      const filter = filterWords.find(({ name }) => name === piece.text);
      return filter === undefined ? "" : [`**${filter.name}** ${filter.summary}`, filter.edges ?? ""].join("\n\n").trim();
    }
    case "root":
      return join(`**${piece.text}** ${roots[piece.text]?.summary ?? ""}`, shapeOf(piece, text, node.span, knowledge, false));
    case "action":
      return join(`**${piece.text}** Data of the action.`, shapeOf(piece, text, node.span, knowledge, false));
    case "name":
    case "path":
      return join(`\`${text.slice(piece.start, piece.end)}\``, shapeOf(piece, text, node.span, knowledge, true));
    case "edge":
    case "argument":
      return "";
  }
}

const join = (...parts: readonly string[]): string => parts.filter((part) => part !== "").join("\n\n");

/** The shape of the value that the marker around a part reads: of its root as a whole, or behind its path. */
function shapeOf(
  piece: Piece,
  text: string,
  around: { readonly start: number; readonly end: number },
  knowledge: Knowledge | undefined,
  behindPath: boolean,
): string {
  const start = text.lastIndexOf("a|", piece.start);
  const inMarker = (knowledge?.readings ?? []).filter(
    ({ at, into }) => into !== "rows" && at.start <= start && start < at.end && at.start >= around.start,
  );
  const exact = inMarker.filter(({ at }) => at.start === start);
  const best = (exact.length > 0 ? exact : inMarker).toSorted((a, b) => b.path.length - a.path.length);
  const reading = behindPath ? best[0] : (best.findLast(({ path }) => path.length === 0) ?? best[0]);
  if (reading === undefined) return "";
  const shape = behindPath || reading.path.length === 0 ? reading.shape : reading.of;
  return `\`\`\`typescript\n${shapeText(shape)}\n\`\`\``;
}
