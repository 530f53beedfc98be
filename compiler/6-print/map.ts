import { GenMapping, maybeAddMapping, toEncodedMap } from "@jridgewell/gen-mapping";
import type { Span } from "#runtime/plan/index.ts";
import { visible } from "#runtime/value/visible.ts";
import type { Line } from "./code.ts";

/** Where a span of a source begins: 1-based line, 0-based column. */
export type Locate = (at: Span) => { readonly line: number; readonly column: number };

export interface SourceMap {
  /** Version 3, as text. */
  readonly map: string;
  /** The configuration, and modules that statements come from. */
  readonly sources: readonly string[];
}

/** A source map from the printed lines to the YAML. It names the sources, it does not carry them. */
export function sourceMap(printed: readonly Line[], file: string, locate: Locate): SourceMap {
  const map = new GenMapping({ file });
  printed.forEach((line, i) => {
    if (line.at === undefined) return;
    const generated = { line: i + 1, column: line.text.length - line.text.trimStart().length };
    maybeAddMapping(map, { generated, original: locate(line.at), source: line.at.file });
  });
  const { version, sources, names, mappings } = toEncodedMap(map);
  return {
    map: visible(JSON.stringify({ version, file, sources, names, mappings })),
    sources: sources.filter((source) => source !== null),
  };
}
