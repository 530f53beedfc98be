import {
  type SemanticTokens,
  SemanticTokensBuilder,
  type SemanticTokensLegend,
  type SemanticTokensParams,
} from "vscode-languageserver/node";
import type { Node } from "../1-read/document.ts";
import { parseTemplate } from "../1-read/markers/markers.ts";
import { placesOf } from "./language.ts";
import { type Piece, piecesIn } from "./names/pieces.ts";
import type { Session } from "./session.ts";
import type { SourceFile } from "./source-file.ts";

/** The token types of the parts of markers, by words that editor themes know. */
const types = {
  edge: "operator",
  root: "keyword",
  action: "variable",
  name: "enumMember",
  path: "property",
  filter: "function",
  argument: "string",
} as const satisfies Readonly<Record<Piece["kind"], string>>;

const order = Object.keys(types) as readonly Piece["kind"][]; // the keys of the line above

export const legend: SemanticTokensLegend = { tokenTypes: Object.values(types), tokenModifiers: [] };

/** The semantic tokens: the parts of all markers in a file. Editors colour the rest as YAML. */
export function semanticTokens(session: Session, { textDocument }: SemanticTokensParams): SemanticTokens {
  const source = session.source(textDocument.uri);
  const builder = new SemanticTokensBuilder();
  for (const piece of source === undefined ? [] : markersOf(source)) {
    const start = source?.lines.positionAt(piece.start);
    if (start !== undefined) builder.push(start.line, start.character, piece.end - piece.start, order.indexOf(piece.kind), 0);
  }
  return builder.build();
}

/** The pieces of all markers of a file, in order. */
function markersOf(source: SourceFile): readonly Piece[] {
  const pieces = placesOf(source).flatMap(({ node }) => (holdsMarker(node) ? piecesIn(source.text, node.span.start, node.span.end) : []));
  const inOrder = pieces.toSorted((a, b) => a.start - b.start);
  // Tokens must not overlap or span lines.
  return inOrder.filter((piece, i) => piece.start >= (inOrder[i - 1]?.end ?? 0) && !/[\r\n]/.test(piece.text));
}

const holdsMarker = (node: Node): boolean =>
  node.kind === "scalar" &&
  typeof node.value === "string" &&
  node.value.includes("a|") &&
  parseTemplate(node.value, { code: true }).parts.some(({ kind }) => kind === "marker");
