import { parseAddress } from "#runtime/network/addresses/address.ts";
import { ranges } from "#runtime/network/addresses/ranges.ts";
import { networkPolicy } from "#runtime/network/policy.ts";
import { networkRules } from "#runtime/network/rules.ts";
import { createHost } from "#runtime/process/host.ts";
import { nanoseconds } from "./micro.ts";
import { median } from "./statistics.ts";
import { figure, table } from "./table.ts";

/** Ranges that the policy denies, half of them IPv6, none touching another. */
const manyRanges = 10_000;

const denied = Array.from({ length: manyRanges }, (_, i) =>
  i % 2 === 0 ? `${11 + (i >> 12)}.${(i >> 4) & 255}.${(i & 15) << 4}.0/28` : `2001:db8:${i.toString(16)}::/48`,
);

const callers = ["198.51.100.7", "2001:db8:ffff::1", "192.0.2.1", "2001:db8:2::1"];

/** Nanoseconds: of a look-up of an address, and of a whole decision with the parsing of the header. */
export interface PolicyReport {
  readonly lookUp: number;
  readonly decision: number;
}

/** Measures a policy of ten thousand ranges. */
export function benchPolicy(rounds: number): PolicyReport {
  const set = ranges(denied);
  const addresses = callers.map((text) => parseAddress(text) ?? 0);
  const { judge } = networkPolicy({ interface: networkRules({ ip: { deny: denied } }) });
  const asked = { host: createHost({ env: {} }), config: "c", interface: "i" };
  const requests = callers.map((text) => ({ headers: { "x-forwarded-for": text }, peer: "127.0.0.1" }));
  let turn = 0;
  const lookUp = (): void => refuse(set.has(addresses[turn++ % addresses.length] ?? 0));
  const decision = (): void => {
    const request = requests[turn++ % requests.length];
    refuse(request === undefined || judge(request, asked) !== undefined);
  };
  return { lookUp: middle(lookUp, rounds), decision: middle(decision, rounds) };
}

/** Fails for a caller on the list: the list has none of the callers. */
function refuse(found: boolean): void {
  if (found) throw new Error("a caller was found who is not on the list");
}

/** The first round warms up. */
function middle(run: () => void, rounds: number): number {
  return median(Array.from({ length: rounds + 1 }, () => nanoseconds(run)).slice(1));
}

export function policyTable({ lookUp, decision }: PolicyReport): string {
  return table(["policy of 10,000 ranges", "look-up ns", "decision ns"], [["deny", figure(lookUp), figure(decision)]]);
}
