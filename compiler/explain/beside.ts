import { originalPositionFor, TraceMap } from "@jridgewell/trace-mapping";
import { visible } from "#runtime/value/visible.ts";
import type { PrintedModule } from "../6-print/index.ts";
import type { LineTable } from "../diagnostics/position.ts";

/** Columns that two sides need. */
const wide = 140;

interface Row {
  readonly line: number;
  readonly yaml: string;
  /** The printed lines that come from this one, and those that follow them. */
  readonly code: readonly string[];
}

/** The YAML of an interface and the code that is printed of it: side by side where there is room, else in turn. */
export function beside(module: PrintedModule, name: string, lines: LineTable, columns: number): string {
  const rows = rowsOf(module, name, lines);
  return visible(columns >= wide ? sideBySide(rows, columns) : inTurn(rows));
}

/** The printed lines of an interface, from its comment to the end of its record. */
function printedLines({ code }: PrintedModule, name: string): { readonly first: number; readonly texts: readonly string[] } {
  const all = code.split("\n");
  const first = all.findIndex((text) => text.startsWith("/** ") && text.endsWith(` interfaces.${name} */`));
  const length = all.slice(first).indexOf("};") + 1;
  return { first, texts: first < 0 ? [] : all.slice(first + 1, first + length) };
}

function rowsOf(module: PrintedModule, name: string, lines: LineTable): readonly Row[] {
  const map = new TraceMap(module.map);
  const { first, texts } = printedLines(module, name);
  const begun = Number(/:(\d+) interfaces\./.exec(module.code.split("\n")[first] ?? "")?.[1] ?? 1);
  const code = new Map<number, string[]>();
  let line = begun;
  texts.forEach((text, i) => {
    const column = text.length - text.trimStart().length;
    const origin = originalPositionFor(map, { line: first + 2 + i, column });
    // Code in another order than the YAML stays with the line before it.
    if (origin.line !== null && origin.line > line && origin.line <= lines.count) line = origin.line;
    code.set(line, [...(code.get(line) ?? []), text]);
  });
  const last = endOf(begun, lines);
  return Array.from({ length: last - begun + 1 }, (_, i) => ({
    line: begun + i,
    yaml: lines.line(begun + i),
    code: code.get(begun + i) ?? [],
  }));
}

/** The last line of an interface: whatever is indented further than its name. */
function endOf(begun: number, lines: LineTable): number {
  const indent = (line: number): number => lines.line(line).search(/\S/);
  let last = begun;
  for (let line = begun + 1; line <= lines.count; line++) {
    if (indent(line) >= 0 && indent(line) <= indent(begun)) break;
    if (indent(line) >= 0) last = line;
  }
  return last;
}

function sideBySide(rows: readonly Row[], columns: number): string {
  const width = Math.min(Math.floor(columns / 2) - 8, Math.max(...rows.map(({ yaml }) => yaml.length)));
  const left = (text: string): string => (text.length > width ? `${text.slice(0, width - 1)}…` : text.padEnd(width));
  return rows
    .flatMap(({ line, yaml, code }) => {
      const [first = "", ...more] = code;
      return [`${String(line).padStart(4)} ${left(yaml)} │ ${first}`, ...more.map((text) => `     ${left("")} │ ${text}`)];
    })
    .map((text) => `${text.trimEnd()}\n`)
    .join("");
}

const inTurn = (rows: readonly Row[]): string =>
  rows
    .flatMap(({ line, yaml, code }) => [`${String(line).padStart(4)} │ ${yaml}`, ...code.map((text) => `     > ${text}`)])
    .map((text) => `${text.trimEnd()}\n`)
    .join("");
