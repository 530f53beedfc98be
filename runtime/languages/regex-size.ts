/** Forms that are read as one piece, besides single characters. */
const piece = /\\Q.*?(?:\\E|$)|\[\^?\]?(?:\[:\^?[a-z]+:\]|\\.|[^\]\\])*\]|\\[pPx]\{[^}]*\}|\\.|\(\?[^:)>]*[:)>]|\{(\d+)(?:,(\d*))?\}|./gs;

/**
 * About how many instructions a pattern has, with all its repetitions written out: the engine writes them out before it can be asked, which
 * takes a second for a million. Other choices between characters than classes count more than they have.
 */
export function writtenOut(pattern: string): number {
  // The sum of each open group; of what is repeated next.
  const sums = [0];
  let last = 0;
  for (const [token, least, most] of pattern.matchAll(piece)) {
    const top = sums.length - 1;
    if (least !== undefined) {
      const times = Math.max(Number(least), Number(most ?? 0));
      sums[top] = (sums[top] ?? 0) + last * (times - 1);
      last *= times;
    } else if (token === "(" || /^\(\?.*[:>]$/s.test(token)) {
      sums.push(token.endsWith(":") ? 0 : 1);
    } else if (token === ")" && top > 0) {
      last = sums.pop() ?? 0;
      sums[top - 1] = (sums[top - 1] ?? 0) + last;
    } else if (/^[?*+]$/.test(token)) {
      sums[top] = (sums[top] ?? 0) + 1;
      last += 1;
    } else {
      last = token === "|" || token.startsWith("(?") ? 0 : 1;
      sums[top] = (sums[top] ?? 0) + (token.startsWith("\\Q") ? token.length : last);
    }
  }
  return sums.reduce((sum, each) => sum + each, 0);
}
