/**
 * The known name at an edit distance of at most 2, for "did you mean"; of equally near names, the one that differs least in case wins, then
 * the first.
 */
export function nearest(name: string, names: Iterable<string>): string | undefined {
  let best: { readonly name: string; readonly distance: number; readonly folded: number } | undefined;
  for (const candidate of names) {
    if (candidate === name) continue;
    const folded = distance(name.toLowerCase(), candidate.toLowerCase());
    // A wrong case counts less, since it is an easy mistake: `fetchuser` means `FetchUser`, although two letters differ.
    const exact = Math.min(folded + 1, distance(name, candidate));
    // A short word with most of its letters changed is another word.
    if (exact > limit || (folded > 0 && exact * 2 > Math.max(name.length, candidate.length))) continue;
    if (best === undefined || exact < best.distance || (exact === best.distance && folded < best.folded)) {
      best = { name: candidate, distance: exact, folded };
    }
  }
  return best?.name;
}

const limit = 2;

/** Damerau-Levenshtein, adjacent swaps counting once; anything above the limit is only "more than the limit". */
function distance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min(cell(last, column) + 1, cell(current, column - 1) + 1, cell(last, column - 1) + (same ? 0 : 1));
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) cost = Math.min(cost, cell(beforeLast, column - 2) + 1);
      current.push(cost);
    }
    if (Math.min(...current) > limit) return limit + 1;
    beforeLast = last;
    last = current;
  }
  return cell(last, b.length);
}

const cell = (row: readonly number[], column: number): number => row[column] ?? Number.POSITIVE_INFINITY;

/**
 * The known name of which this name is a typing error: two neighbouring letters are swapped, or a letter is missing or doubled. A plural, a
 * number behind a name and short words are names of their own.
 */
export const slipOf = (name: string, names: Iterable<string>): string | undefined => [...names].find((known) => isSlip(name, known));

function isSlip(name: string, known: string): boolean {
  const [short, long] = name.length < known.length ? [name, known] : [known, name];
  const at = [...long].findIndex((letter, i) => letter !== short[i]);
  if (short.length < 4 || at < 0) return false;
  if (long.length > short.length)
    return long.slice(at + 1) === short.slice(at) && !(at === short.length ? /[s\d]$/ : /^\d/).test(long.slice(at));
  return long[at] === short[at + 1] && long[at + 1] === short[at] && long.slice(at + 2) === short.slice(at + 2);
}
