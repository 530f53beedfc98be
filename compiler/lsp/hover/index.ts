import { type Hover, type HoverParams, MarkupKind } from "vscode-languageserver/node";
import { readAnyhow } from "../../1-read/index.ts";
import { type Place, placesIn } from "../../2-check/places.ts";
import { present } from "../../present.ts";
import { docOf } from "../docs.ts";
import { focusOn } from "../focus.ts";
import { type Knowledge, knowledgeOf } from "../knowledge.ts";
import { languageOf } from "../language.ts";
import { piecesIn } from "../names/pieces.ts";
import { pageOf } from "../pages.ts";
import type { Session } from "../session.ts";
import { rangeIn, type SourceFile } from "../source-file.ts";
import { markerDoc } from "./marker.ts";
import { printedLines } from "./printed.ts";

/** All facts about a place: the meaning of its key or marker, the shape of its value, mistakes there, and the printed code of the line. */
export async function hover(session: Session, { textDocument, position }: HoverParams): Promise<Hover | null> {
  const source = session.source(textDocument.uri);
  if (source === undefined) return null;
  const offset = source.lines.offsetAt(position);
  const focus = focusOn(source.text, offset);
  const document = readAnyhow(focus.text, source.path, focus.offset);
  if (document === undefined) return null;
  const language = languageOf(source.role, document.root);
  const part = partAt(placesIn(document.root, language), focus.text, focus.offset);
  if (part === undefined) return null;
  const knowledge = source.role === "config" ? knowledgeOf(document, source, session) : undefined;
  const { key, piece, place } = part;
  const parts = [
    piece === undefined ? docOf(place.schema, language.definitions) : markerDoc(piece, place, focus.text, knowledge),
    ...mistakes(source, offset, session),
    session.settings.printed && knowledge !== undefined ? await printed(knowledge, focus.text, focus.offset, session) : "",
  ].filter((text) => text !== "");
  if (parts.length === 0) return null;
  const range = piece ?? key;
  const whole = { start: focus.whole(range.start), end: focus.whole(range.end) };
  return { contents: { kind: MarkupKind.Markdown, value: parts.join("\n\n---\n\n") }, range: rangeIn(source, whole) };
}

interface Part {
  readonly key: { readonly start: number; readonly end: number };
  readonly place: Place;
  readonly piece?: ReturnType<typeof piecesIn>[number];
}

/** The key or the value at a place, and the part of a marker there. */
function partAt(places: readonly Place[], text: string, offset: number): Part | undefined {
  const holds = ({ start, end }: { readonly start: number; readonly end: number }): boolean =>
    start <= offset && offset <= end && start < end;
  const onKey = places.findLast(({ entry }) => entry !== undefined && holds(entry.keySpan));
  if (onKey?.entry !== undefined) return { key: onKey.entry.keySpan, place: onKey };
  const onValue = places.findLast(({ node }) => node.kind === "scalar" && holds(node.span));
  if (onValue === undefined) return undefined;
  const piece = piecesIn(text, onValue.node.span.start, onValue.node.span.end).find(holds);
  return { key: onValue.node.span, place: onValue, ...present({ piece }) };
}

/** The causes in the pages of the diagnostics at a place. */
function mistakes(source: SourceFile, offset: number, session: Session): readonly string[] {
  const here = (session.found.get(source.path) ?? []).filter(({ range }) => {
    const [start, end] = [source.lines.offsetAt(range.start), source.lines.offsetAt(range.end)];
    return start <= offset && offset <= end;
  });
  return [...new Set(here.map(({ code }) => code))].flatMap((code) => pageOf(code)?.replace(/^# /, "#### ") ?? []);
}

async function printed(knowledge: Knowledge, text: string, offset: number, session: Session): Promise<string> {
  if (knowledge.plan === undefined) return "";
  try {
    return await printedLines(knowledge.plan, text, offset);
  } catch (error) {
    session.connection.console.warn(`nothing is printed: ${error instanceof Error ? error.stack : error}`);
    return "";
  }
}
