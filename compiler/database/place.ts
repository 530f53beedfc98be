import type { Span } from "#runtime/plan/index.ts";

/** The most characters between an action and the text of its query. */
const reach = 20_000;

/**
 * The place of a name of a query in the configuration. Undefined if the text of the query is not found unchanged: it stands in another
 * file, or YAML folds its lines.
 */
export function placeOfName(name: string, query: string, at: Span, source: string): Span | undefined {
  const head = query.trim().split("\n", 1)[0]?.slice(0, 24).trimEnd() ?? "";
  // A double-quoted scalar escapes quotes, so the text up to the first quote is searched, too.
  const start = nearestStart(source, head, at.start) ?? nearestStart(source, head.split('"', 1)[0] ?? "", at.start);
  if (start === undefined || name === "") return undefined;
  const places = [...placesIn(source, name, start, start + query.length * 2 + 400)];
  const whole = places.find((place) => !/[\p{L}\p{N}_$]/u.test(`${source[place - 1] ?? ""}${source[place + name.length] ?? ""}`));
  return whole === undefined ? undefined : { file: at.file, start: whole, end: whole + name.length };
}

function nearestStart(source: string, head: string, near: number): number | undefined {
  if (head === "") return undefined;
  const places = [...placesIn(source, head, Math.max(0, near - reach), near + reach)];
  return places.sort((a, b) => Math.abs(a - near) - Math.abs(b - near))[0];
}

function* placesIn(source: string, text: string, from: number, to: number): Generator<number> {
  for (let place = source.indexOf(text, from); place >= 0 && place < to; place = source.indexOf(text, place + 1)) yield place;
}
