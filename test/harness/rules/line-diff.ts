/** An edit between two texts: a group of removed lines with the lines in their place. */
export interface Hunk {
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

/** The smallest set of hunks, by the longest common subsequence of lines. */
export function lineDiff(before: string, after: string): readonly Hunk[] {
  const [a, b] = [before.split("\n"), after.split("\n")];
  const common = lengths(a, b);
  const hunks: Hunk[] = [];
  let removed: string[] = [];
  let added: string[] = [];
  const flush = (): void => {
    if (removed.length + added.length > 0) hunks.push({ removed, added });
    [removed, added] = [[], []];
  };
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      flush();
      i += 1;
      j += 1;
    } else if (j < b.length && (i === a.length || (common[i]?.[j + 1] ?? 0) >= (common[i + 1]?.[j] ?? 0))) added.push(b[j++] ?? "");
    else removed.push(a[i++] ?? "");
  }
  flush();
  return hunks;
}

/** For each pair of positions: the length of the longest common subsequence of the remaining lines. */
function lengths(a: readonly string[], b: readonly string[]): readonly Uint16Array[] {
  const table = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const [row, below] = [table[i], table[i + 1]];
      if (row === undefined || below === undefined) continue;
      row[j] = a[i] === b[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, row[j + 1] ?? 0);
    }
  }
  return table;
}
