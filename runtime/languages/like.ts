import { Reject } from "../value/failure.ts";

/** Most characters of a pattern: it may come from data, and each of its parts takes time. */
const longestPattern = 1_000_000;

/** A run of `%`, which means what one means, or a sign whose meaning a backslash takes away. */
const special = /%+|\\[^A-Za-z0-9\s]/g;

/** The texts between the `%` of a `like` pattern. A backslash before a sign takes its meaning away; `_` has none (spec/language 6.4). */
export function likeParts(pattern: string): readonly string[] {
  if (pattern.length > longestPattern) throw new Reject("PW114", `a pattern is over the limit of ${longestPattern} characters`);
  const parts: string[] = [];
  let part = "";
  let from = 0;
  for (const { 0: token, index } of pattern.matchAll(special)) {
    part += pattern.slice(from, index);
    from = index + token.length;
    if (token.startsWith("%")) {
      parts.push(part);
      part = "";
    } else part += token.slice(1);
  }
  return [...parts, part + pattern.slice(from)];
}

/** True when the whole text is the parts in order, with anything between them. Linear: each part is taken at its first place. */
export function isLike(text: string, parts: readonly string[]): boolean {
  const [first = "", ...rest] = parts;
  const last = rest.pop();
  if (last === undefined) return text === first;
  const end = text.length - last.length;
  if (first.length > end || !text.startsWith(first) || !text.endsWith(last)) return false;
  let at = first.length;
  for (const part of rest) {
    const index = text.indexOf(part, at);
    if (index < 0 || index + part.length > end) return false;
    at = index + part.length;
  }
  return true;
}
