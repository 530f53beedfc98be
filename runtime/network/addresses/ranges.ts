import { type Address, addressText, parseRange, type Range } from "./address.ts";

/** A set of addresses. */
export interface Ranges {
  readonly has: (address: Address) => boolean;
}

/**
 * The set of all addresses in these texts; each text is an address or a range, which the compiler has checked. A look-up is a binary
 * search.
 */
export function ranges(texts: readonly string[]): Ranges {
  const all = merged(texts.flatMap((text) => [parseRange(text) ?? unknownRange(text)]));
  const [v4, v6] = [sideOf(all, "number"), sideOf(all, "bigint")];
  return { has: (address) => within(typeof address === "number" ? v4 : v6, address) };
}

/** Ranges of one family: the firsts and the lasts, in order. */
interface Side {
  readonly firsts: readonly Address[];
  readonly lasts: readonly Address[];
}

function sideOf(all: readonly Range[], family: "number" | "bigint"): Side {
  const own = all.filter(([first]) => typeof first === family);
  return { firsts: own.map(([first]) => first), lasts: own.map(([, last]) => last) };
}

/** True when the last range that begins at or before the address reaches it. */
function within({ firsts, lasts }: Side, address: Address): boolean {
  let low = 0;
  let high = firsts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((firsts[middle] ?? 0) <= address) low = middle + 1;
    else high = middle;
  }
  const last = lasts[low - 1];
  return last !== undefined && address <= last;
}

/** Joins addresses into as few ranges as possible: IPv4 before IPv6, each in order, none touching the next. */
export function merged(all: readonly Range[]): readonly Range[] {
  const sorted = all.toSorted(([a], [b]) => familyOf(a) - familyOf(b) || (a < b ? -1 : a > b ? 1 : 0));
  const out: [Address, Address][] = [];
  for (const [first, last] of sorted) {
    const open = out.at(-1);
    if (open === undefined || familyOf(open[0]) !== familyOf(first) || first > next(open[1])) out.push([first, last]);
    else if (last > open[1]) open[1] = last;
  }
  return out;
}

/** True when some address is in both lists, each as `merged` gives it. */
export function overlap(a: readonly Range[], b: readonly Range[]): boolean {
  for (let i = 0, j = 0; ; ) {
    const [left, right] = [a[i], b[j]];
    if (left === undefined || right === undefined) return false;
    if (isBefore(left, right)) i += 1;
    else if (isBefore(right, left)) j += 1;
    else return true;
  }
}

const isBefore = ([first, last]: Range, [otherFirst]: Range): boolean =>
  familyOf(first) === familyOf(otherFirst) ? last < otherFirst : familyOf(first) < familyOf(otherFirst);

/** The ranges in the usual notation: `10.0.0.0/8`; a range of one address is that address. */
export function rangeTexts(all: readonly Range[]): readonly string[] {
  return all.flatMap(([first, last]) => {
    const out: string[] = [];
    let at = BigInt(first);
    while (at <= BigInt(last)) {
      const free = widest(at, BigInt(last), typeof first === "number" ? 32 : 128);
      const address = addressText(typeof first === "number" ? Number(at) : at);
      out.push(free === 0 ? address : `${address}/${(typeof first === "number" ? 32 : 128) - free}`);
      at += 1n << BigInt(free);
    }
    return out;
  });
}

/** The number of bits that may vary in the largest block that begins at `first` and does not reach beyond `last`, at most `wide`. */
function widest(first: bigint, last: bigint, wide: number): number {
  let free = 0;
  while (free < wide && ((first >> BigInt(free)) & 1n) === 0n && first + (1n << BigInt(free + 1)) - 1n <= last) free += 1;
  return free;
}

const familyOf = (address: Address): number => (typeof address === "number" ? 4 : 6);

const next = (address: Address): Address => (typeof address === "number" ? address + 1 : address + 1n);

function unknownRange(text: string): never {
  throw new TypeError(`no address or range: ${text}`);
}
