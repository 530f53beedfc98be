import { visibleLine } from "#runtime/value/visible.ts";

/** A table whose columns are as wide as their widest cell. */
export function table(texts: readonly (readonly string[])[]): string {
  const rows = texts.map((cells) => cells.map(visibleLine));
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join("  ")
          .trimEnd()}\n`,
    )
    .join("");
}
