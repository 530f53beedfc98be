/** A place in a text: 1-based line and column, with columns in UTF-16 units, as editors count them. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** The line starts of one text, which turn offsets into positions by binary search. */
export interface LineTable {
  readonly count: number;
  /** The position of an offset; an offset beyond the text counts as its end. */
  at(offset: number): Position;
  /** The text of a 1-based line without its line end; empty beyond the last line. */
  line(number: number): string;
}

/** The line table of a text. Lines end with LF, CR LF or CR, as in YAML. */
export function lineTable(text: string): LineTable {
  const starts = [0];
  // A loop is used, because a pattern takes three times as long for a file of only line ends.
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 10 || (code === 13 && text.charCodeAt(at + 1) !== 10)) starts.push(at + 1);
  }
  return {
    count: starts.length,
    at(offset) {
      const within = Math.max(0, Math.min(offset, text.length));
      const line = lastAtOrBefore(starts, within);
      return { line: line + 1, column: within - (starts[line] ?? 0) + 1 };
    },
    line(number) {
      const start = starts[number - 1];
      return start === undefined ? "" : text.slice(start, starts[number]).replace(/[\r\n]+$/, "");
    },
  };
}

/** The texts that diagnostics point into, by file, with their line tables built on first use. */
export interface Sources {
  lines(file: string): LineTable;
}

/** The sources of texts. A file that is not in the map counts as empty, so its diagnostics are shown without a frame. */
export function sources(texts: ReadonlyMap<string, string>, tableOf: (text: string, file: string) => LineTable = lineTable): Sources {
  const tables = new Map<string, LineTable>();
  return {
    lines(file) {
      const cached = tables.get(file);
      if (cached !== undefined) return cached;
      const table = tableOf(texts.get(file) ?? "", file);
      tables.set(file, table);
      return table;
    },
  };
}

function lastAtOrBefore(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Gives the position of an offset in a text, for a phase that needs nothing else. */
export function locator(text: string): (offset: number) => Position {
  const table = lineTable(text);
  return (offset) => table.at(offset);
}
