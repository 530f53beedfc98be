import { GenMapping, maybeAddMapping, toEncodedMap } from "@jridgewell/gen-mapping";
import type { Line } from "./code.ts";

/** Where an offset of the source is: 1-based line, 0-based column. */
export type Locate = (offset: number) => { readonly line: number; readonly column: number };

/** A version 3 source map from the printed lines to the YAML. It names the source, it does not carry it. */
export function sourceMap(printed: readonly Line[], file: string, locate: Locate): string {
  const map = new GenMapping({ file });
  printed.forEach((line, i) => {
    if (line.at === undefined) return;
    const generated = { line: i + 1, column: line.text.length - line.text.trimStart().length };
    maybeAddMapping(map, { generated, original: locate(line.at.start), source: file });
  });
  const { version, sources, names, mappings } = toEncodedMap(map);
  return JSON.stringify({ version, file, sources, names, mappings });
}
