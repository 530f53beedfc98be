/** The number of characters of a text: code points, as `minLength` and `maxLength` count them. */
export function characters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
