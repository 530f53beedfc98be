import { parseRange, type Range } from "#runtime/lib/address.ts";
import { merged, overlap, rangeTexts } from "#runtime/lib/ranges.ts";
import type { RulesPlan } from "#runtime/plan.ts";
import { items, type Node, numberOf, scalarText } from "../1-read/document.ts";
import { network } from "../diagnostics/codes/network.ts";
import type { Report } from "../diagnostics/diagnostic.ts";

// The lists of a network policy, in one order and without repeats: what is printed does not depend on how they were written.

/** Addresses and ranges, merged where they touch. */
export function addresses(node: Node, report: Report): readonly string[] {
  const all = items(node).flatMap((item): Range[] => {
    const range = parseRange(scalarText(item) ?? "");
    if (range !== undefined) return [range];
    report(network.range(scalarText(item) ?? ""), item.span);
    return [];
  });
  return rangeTexts(merged(all));
}

/** Codes of countries, in upper case. */
export function countries(node: Node, report: Report): readonly string[] {
  const all = items(node).flatMap((item): string[] => {
    const code = (scalarText(item) ?? "").trim().toUpperCase();
    if (/^[A-Z]{2}$/.test(code)) return [code];
    report(network.country(scalarText(item) ?? ""), item.span);
    return [];
  });
  return [...new Set(all)].sort();
}

/** Numbers of autonomous systems. */
export const networks = (node: Node): readonly number[] =>
  [...new Set(items(node).flatMap((item) => numberOf(item) ?? []))].sort((a, b) => a - b);

/** The kind of rule whose allow lists of two levels have nothing in common: together they let nobody in. */
export function disjoint(outer: RulesPlan | undefined, inner: RulesPlan | undefined): "ip" | "geo" | "asn" | undefined {
  const [outerIp, innerIp] = [outer?.ip?.allow, inner?.ip?.allow];
  if (isGiven(outerIp) && isGiven(innerIp) && !overlap(rangesOf(outerIp), rangesOf(innerIp))) return "ip";
  if (areApart(outer?.geo?.allow, inner?.geo?.allow)) return "geo";
  return areApart(outer?.asn?.allow, inner?.asn?.allow) ? "asn" : undefined;
}

function areApart<V>(outer: readonly V[] | undefined, inner: readonly V[] | undefined): boolean {
  return isGiven(outer) && isGiven(inner) && !inner.some((one) => outer.includes(one));
}

/** An empty list says by itself that it lets nobody in. */
const isGiven = <V>(list: readonly V[] | undefined): list is readonly V[] => list !== undefined && list.length > 0;

/** The texts are those of `addresses`, so none is left out. */
function rangesOf(texts: readonly string[]): readonly Range[] {
  return merged(
    texts.flatMap((text) => {
      const range = parseRange(text);
      return range === undefined ? [] : [range];
    }),
  );
}
