import type { Span } from "#runtime/plan/index.ts";

type Range = Pick<Span, "start" | "end">;

/**
 * A source in the form that frames may show, with a `*` for every character of the ranges. Blanks and line ends stay, so places do not
 * move. Secrets are hidden because more people read the build logs than the file itself.
 */
export function hide(text: string, ranges: readonly Range[]): string {
  let out = "";
  let from = 0;
  for (const { start, end } of [...ranges].sort((a, b) => a.start - b.start)) {
    if (end <= from) continue;
    const begin = Math.max(from, start);
    out += text.slice(from, begin) + text.slice(begin, end).replace(/\S/g, "*");
    from = end;
  }
  return out + text.slice(from);
}

/** The ranges of a text outside the given ranges. */
export function allBut(ranges: readonly Range[], length: number): Range[] {
  const sorted = [...ranges].sort((a, b) => a.start - b.start);
  const starts = [0, ...sorted.map(({ end }) => end)];
  const ends = [...sorted.map(({ start }) => start), length];
  return starts.map((start, i) => ({ start, end: ends[i] ?? length }));
}
