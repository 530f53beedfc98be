import { GenMapping, maybeAddMapping, toEncodedMap } from "@jridgewell/gen-mapping";
import type { Span } from "#runtime/plan/index.ts";
import { visible } from "#runtime/value/visible.ts";
import type { SpanStart } from "./marks.ts";

/** Gives the begin of a span in its source: 1-based line, 0-based column. */
export type Locate = (at: Pick<Span, "file" | "start">) => { readonly line: number; readonly column: number };

export interface SourceMap {
  /** The source map, version 3, as JSON text. */
  readonly map: string;
  /** The files: the configuration, and the YAML modules from which statements come. */
  readonly sources: readonly string[];
}

/** A printed line without its marks, and the places of the line and of its parts. */
export interface MappedLine {
  readonly text: string;
  readonly at?: SpanStart | undefined;
  readonly marks: readonly { readonly column: number; readonly at: SpanStart | undefined }[];
}

/** A source map from the printed lines to the YAML. It names the sources, but does not contain their text. */
export function sourceMap(printed: readonly MappedLine[], file: string, locate: Locate): SourceMap {
  const map = new GenMapping({ file });
  printed.forEach((line, i) => {
    const indentation = line.text.length - line.text.trimStart().length;
    const begins = line.at === undefined ? [] : [{ column: indentation, at: line.at }];
    // A mark at the begin of the line has a more exact place than the line.
    const places = [...begins.filter(() => line.marks[0]?.column !== indentation), ...line.marks];
    for (const { column, at = line.at } of places)
      if (at !== undefined) maybeAddMapping(map, { generated: { line: i + 1, column }, original: locate(at), source: at.file });
  });
  const { version, sources, names, mappings } = toEncodedMap(map);
  return {
    map: visible(JSON.stringify({ version, file, sources, names, mappings })),
    sources: sources.filter((source) => source !== null),
  };
}
