import { visible } from "#runtime/value/visible.ts";
import type { PrintedModule } from "../6-print/index.ts";
import type { LineTable } from "../diagnostics/position.ts";
import { pairing } from "./pairs.ts";

/** The least columns for two sides. */
const wide = 140;

interface Row {
  readonly line: number;
  readonly yaml: string;
  /** The printed lines that come from this line, and the lines that follow them. */
  readonly code: readonly string[];
}

/** The YAML of an interface and its printed code: side by side if there is room, else one after the other. */
export function beside(module: PrintedModule, name: string, lines: LineTable, columns: number): string {
  const rows = rowsOf(module, name, lines);
  return visible(columns >= wide ? sideBySide(rows, columns) : inTurn(rows));
}

function rowsOf(module: PrintedModule, name: string, lines: LineTable): readonly Row[] {
  const { first, last, code } = pairing(module, lines)(name);
  const byLine = Map.groupBy(code, ({ line }) => line);
  return Array.from({ length: last - first + 1 }, (_, i) => ({
    line: first + i,
    yaml: lines.line(first + i),
    code: (byLine.get(first + i) ?? []).map(({ text }) => text),
  }));
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
