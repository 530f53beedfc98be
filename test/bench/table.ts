/** Rows of text in columns: the first one left, the others right aligned. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => (row[i] ?? "").length)));
  const line = (cells: readonly string[]): string =>
    cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join("  ");
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...rows.map(line), ""].join("\n");
}

/** Three digits are enough: the rest is noise. NaN, where there is no figure, is a dash. */
export function figure(value: number): string {
  if (Number.isNaN(value)) return "-";
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
