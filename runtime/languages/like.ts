/** The texts between the `%` of a `like` pattern. A backslash before a sign takes its meaning away; `_` has none (spec/language 6.4). */
export function likeParts(pattern: string): readonly string[] {
  const parts = [""];
  for (const [found] of pattern.matchAll(/\\[^A-Za-z0-9\s]|./gs)) {
    if (found === "%") parts.push("");
    else parts[parts.length - 1] += found.length > 1 ? found.slice(1) : found;
  }
  return parts;
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
    const found = text.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}
