import type { Span } from "#runtime/plan/index.ts";

/** How far from its action the text of a query is looked for. */
const reach = 20_000;

/**
 * The place of a name in a query, as the configuration writes it. Undefined where the text of the query is not found as it is: it stands in
 * another file, or YAML folds its lines.
 */
export function placeOfName(name: string, query: string, at: Span, source: string): Span | undefined {
  const head = query.trim().split("\n", 1)[0]?.slice(0, 24).trimEnd() ?? "";
  const start = nearestStart(source, head, at.start);
  if (start === undefined || name === "") return undefined;
  const end = Math.min(source.length, start + query.length * 2 + 400);
  for (let found = source.indexOf(name, start); found >= 0 && found < end; found = source.indexOf(name, found + 1)) {
    const isWhole = !/[\p{L}\p{N}_$]/u.test(`${source[found - 1] ?? ""}${source[found + name.length] ?? ""}`);
    if (isWhole) return { file: at.file, start: found, end: found + name.length };
  }
  return undefined;
}

function nearestStart(source: string, head: string, near: number): number | undefined {
  if (head === "") return undefined;
  let best: number | undefined;
  for (
    let found = source.indexOf(head, Math.max(0, near - reach));
    found >= 0 && found < near + reach;
    found = source.indexOf(head, found + 1)
  )
    if (best === undefined || Math.abs(found - near) < Math.abs(best - near)) best = found;
  return best;
}
