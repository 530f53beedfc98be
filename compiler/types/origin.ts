import { originalPositionFor, TraceMap } from "@jridgewell/trace-mapping";
import type { Span } from "#runtime/plan/index.ts";
import { build } from "../diagnostics/codes/build.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { LineTable, Position, Sources } from "../diagnostics/position.ts";
import type { Fault } from "./faults.ts";

/** The diagnostics for type errors in printed modules, at the places of the statements in the YAML, found by source map. */
export function diagnosticsOf(faults: readonly Fault[], sources: Sources): readonly Diagnostic[] {
  return faults.map((fault) => {
    const { module, reason, line } = fault;
    const printed = module.code.split("\n")[line - 1]?.trim() ?? "";
    return { ...build.types(reason, `${module.name}.ts`, line, printed), at: origin(fault, sources) };
  });
}

/**
 * The span of a type error: up to the end of the line in the YAML. Code without a counterpart there, such as an import, has the start of
 * the config.
 */
function origin({ module, line, column }: Fault, sources: Sources): Span {
  const map = new TraceMap(module.map);
  const original = originalPositionFor(map, { line, column });
  if (original.line === null) return { file: module.file, start: 0, end: 0 };
  // The map resolves names like addresses, but the sources are known by their original names.
  const file = map.sources[map.resolvedSources.indexOf(original.source ?? "")] ?? module.file;
  const lines = sources.lines(file);
  const start = offsetOf({ line: original.line, column: original.column + 1 }, lines);
  const end = offsetOf({ line: original.line, column: lines.line(original.line).length + 1 }, lines);
  return { file, start, end };
}

/** The offset of a place: the inverse of `LineTable.at`, by halving. */
function offsetOf(wanted: Position, lines: LineTable): number {
  const reaches = (offset: number): boolean => {
    const { line, column } = lines.at(offset);
    return line > wanted.line || (line === wanted.line && column >= wanted.column);
  };
  let low = 0;
  let high = 0;
  for (let line = 1; line <= lines.count; line++) high += lines.line(line).length + 2;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (reaches(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
