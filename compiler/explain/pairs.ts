import { originalPositionFor, TraceMap } from "@jridgewell/trace-mapping";
import type { PrintedModule } from "../6-print/index.ts";
import type { LineTable } from "../diagnostics/position.ts";

/** The lines of an interface in the YAML, and in the printed module with the line of YAML that each comes from. */
export interface Pairs {
  /** The first and the last line of the interface in the YAML, from 1. */
  readonly first: number;
  readonly last: number;
  /**
   * The lines of code. `line` never decreases: code in another order than the YAML keeps the line of the code before it. `origin` is the
   * exact line.
   */
  readonly code: readonly { readonly text: string; readonly line: number; readonly origin: number }[];
}

/** Reads the source map of a module once, for all of its interfaces. */
export function pairing(module: PrintedModule, lines: LineTable): (name: string) => Pairs {
  const map = new TraceMap(module.map);
  const printed = module.code.split("\n");
  return (name) => {
    const { first, texts } = printedLines(printed, name);
    const begun = Number(/:(\d+) interfaces\./.exec(printed[first] ?? "")?.[1] ?? 1);
    const last = endOf(begun, lines);
    let line = begun;
    let origin = begun;
    const code = texts.map((text, i) => {
      const column = text.length - text.trimStart().length;
      const source = originalPositionFor(map, { line: first + 2 + i, column }).line ?? 0;
      if (source > line && source <= lines.count) line = source;
      if (source >= begun && source <= last) origin = source;
      return { text, line, origin };
    });
    return { first: begun, last, code };
  };
}

/** The printed lines of an interface, from its comment to the end of its record. */
function printedLines(all: readonly string[], name: string): { readonly first: number; readonly texts: readonly string[] } {
  const first = all.findIndex((text) => text.startsWith("/** ") && text.endsWith(` interfaces.${name} */`));
  if (first < 0) return { first, texts: [] };
  const end = all.indexOf("};", first);
  return { first, texts: all.slice(first + 1, end + 1) };
}

/** The last line of an interface, which is the last one that is indented more than its name. */
function endOf(begun: number, lines: LineTable): number {
  const indent = (line: number): number => lines.line(line).search(/\S/);
  let last = begun;
  for (let line = begun + 1; line <= lines.count; line++) {
    if (indent(line) >= 0 && indent(line) <= indent(begun)) break;
    if (indent(line) >= 0) last = line;
  }
  return last;
}
