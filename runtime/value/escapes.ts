/**
 * A text without the escapes of JSON and of URLs, and the offset from which each of its characters came. The last offset is the length of
 * the text with escapes.
 */
export interface Unescaped {
  readonly text: string;
  readonly from: readonly number[];
}

const escapes = /\\u[\da-f]{4}|\\[^u]|%[0-7][\da-f]|(?:%[89a-f][\da-f])+/gi;

/** Undoes one level of escapes, in one pass; undefined where there are none. */
export function unescaped(text: string): Unescaped | undefined {
  if (!/[\\%]/.test(text)) return undefined;
  const from: number[] = [];
  let at = 0;
  const plain = text.replace(escapes, (spelt, index: number) => {
    while (at < index) from.push(at++);
    const meant = meaningOf(spelt);
    for (let i = 0; i < meant.length; i++) from.push(index);
    at = index + spelt.length;
    return meant;
  });
  if (at === 0) return undefined;
  while (at <= text.length) from.push(at++);
  return { text: plain, from };
}

function meaningOf(spelt: string): string {
  if (spelt.startsWith("%")) return Buffer.from(spelt.replaceAll("%", ""), "hex").toString();
  const letter = spelt.charAt(1);
  return letter === "u" ? String.fromCharCode(Number(`0x${spelt.slice(2)}`)) : ("\b\f\n\r\t"["bfnrt".indexOf(letter)] ?? letter);
}
