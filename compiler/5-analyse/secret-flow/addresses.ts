import type { Expr } from "#runtime/plan/index.ts";
import { anywhere, clean, type Taint, union, whole } from "./taint.ts";
import { type Scope, taintOf } from "./values.ts";

type Parts = Extract<Expr, { op: "text" }>["parts"];

/** The secrets in the part of an address behind the question mark. */
export function inQuery(url: Expr, scope: Scope): Taint {
  if (url.op !== "text") return ownQuery(url, scope);
  const { path, query } = halves(url);
  return union(
    ...path.map((part) => (typeof part === "string" ? clean : ownQuery(part.of, scope))),
    ...query.map((part) => (typeof part === "string" ? clean : whole(taintOf(part.of, scope)))),
  );
}

/** The secrets in the query of a value that is an address. */
const ownQuery = (e: Expr, scope: Scope): Taint => anywhere(whole(taintOf(e, scope)).anywhere.filter(({ query }) => query === true));

/**
 * The secrets that are a segment of the path of an address by themselves. Some services use secret addresses on purpose: addresses of
 * webhooks, and of bots, whose segment is `bot` and the token. They are not reported.
 */
export function inPath(url: Expr, scope: Scope): Taint {
  const { path } = halves(url);
  const isSegment = (i: number): boolean => {
    const [last, next] = [path[i - 1], path[i + 1]];
    return (
      typeof last === "string" && /[^/]\/$|^\/$/.test(last) && (next === undefined || (typeof next === "string" && /^[/?#]/.test(next)))
    );
  };
  // The literal text is joined once, because an address may have thousands of values.
  const text = path.filter((part) => typeof part === "string").join("");
  let length = 0;
  const segments = path.flatMap((part, i): readonly Expr[] => {
    if (typeof part !== "string") return isSegment(i) && isWhole(part.of) && !/hooks?\b/i.test(text.slice(0, length)) ? [part.of] : [];
    length += part.length;
    return [];
  });
  return union(...segments.map((of) => whole(taintOf(of, scope))));
}

/** True for a value that is not changed. A filter such as `prefix(bot)` changes a value; the filter that reads a stored secret does not. */
const isWhole = (e: Expr): boolean => e.op !== "filter" || e.use === "stored";

/** The parts of an address up to its question mark, and the parts behind it. */
function halves(url: Expr): { readonly path: Parts; readonly query: Parts } {
  if (url.op !== "text") return { path: [], query: [] };
  const from = url.parts.findIndex((part) => typeof part === "string" && part.includes("?"));
  if (from < 0) return { path: url.parts, query: [] };
  const end = url.parts[from] as string; // the search above has found a string
  return { path: [...url.parts.slice(0, from), end.slice(0, end.indexOf("?") + 1)], query: url.parts.slice(from) };
}
