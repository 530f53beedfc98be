/** The texts between the `%` of a `like` pattern. A backslash before a sign takes its meaning away; `_` has none (spec/language 6.4). */
export function likeParts(pattern: string): readonly string[] {
  const parts = [""];
  for (const [token] of pattern.matchAll(/\\[^A-Za-z0-9\s]|./gs)) {
    if (token === "%") parts.push("");
    else parts[parts.length - 1] += token.length > 1 ? token.slice(1) : token;
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
    const index = text.indexOf(part, at);
    if (index < 0 || index + part.length > end) return false;
    at = index + part.length;
  }
  return true;
}
