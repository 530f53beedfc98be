import { parseRange, type Range } from "#runtime/network/addresses/address.ts";
import { merged, overlap } from "#runtime/network/addresses/ranges.ts";
import type { RulesPlan } from "#runtime/plan/index.ts";
import { address_range, country_code } from "#runtime/start/judges.ts";
import { items, type Node, scalarText } from "../1-read/document.ts";
import { isStarted } from "../2-check/started.ts";
import { network } from "../diagnostics/codes/network.ts";
import type { Report } from "../diagnostics/diagnostic.ts";

/** The items whose values are known when compiling. */
const literalItems = (list: Node | undefined): readonly Node[] => items(list).filter((item) => !isStarted(item));

/** Checks addresses and ranges. */
export function checkAddresses(list: Node | undefined, report: Report): void {
  for (const item of literalItems(list)) {
    const text = scalarText(item) ?? "";
    if (address_range(text) !== undefined) report(network.range(text), item.span);
  }
}

/** Checks the codes of countries. */
export function checkCountries(list: Node | undefined, report: Report): void {
  for (const item of literalItems(list)) {
    const problem = country_code(scalarText(item) ?? "");
    if (problem !== undefined) report(network.country(problem), item.span);
  }
}

/** The kind of rule whose allow lists on two levels have no common member, so that together they admit no client. */
export function disjoint(outer: RulesPlan | undefined, inner: RulesPlan | undefined): "ip" | "geo" | "asn" | undefined {
  const [outerIp, innerIp] = [outer?.ip?.allow, inner?.ip?.allow];
  if (isGiven(outerIp) && isGiven(innerIp) && !overlap(rangesOf(outerIp), rangesOf(innerIp))) return "ip";
  if (areApart(outer?.geo?.allow, inner?.geo?.allow)) return "geo";
  return areApart(outer?.asn?.allow, inner?.asn?.allow) ? "asn" : undefined;
}

function areApart<V>(outer: readonly V[] | undefined, inner: readonly V[] | undefined): boolean {
  return isGiven(outer) && isGiven(inner) && !inner.some((one) => outer.includes(one));
}

/** An empty allow list is obvious to its author, so that nothing is reported. */
const isGiven = <V>(list: readonly V[] | undefined): list is readonly V[] => list !== undefined && list.length > 0;

/** The ranges of texts. Each text is one of `addresses`, so each has a range. */
function rangesOf(texts: readonly string[]): readonly Range[] {
  return merged(
    texts.flatMap((text) => {
      const range = parseRange(text);
      return range === undefined ? [] : [range];
    }),
  );
}
