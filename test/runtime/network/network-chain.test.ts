import { describe, expect, test } from "vitest";
import { ranges } from "#runtime/network/addresses/ranges.ts";
import { chainOf } from "#runtime/network/chain.ts";
import { seenIn, sourceOf } from "#runtime/network/client.ts";

// The address of a request, by what the request says and by what is believed (spec/surfaces 9).

type Row = readonly [
  source: "client" | "real_ip" | "socket",
  peer: string | undefined,
  forwarded: string | undefined,
  realIp: string | undefined,
  gives: string | null,
];

/** Policies without trusted proxies believe every header. */
const believed: readonly Row[] = [
  ["client", "192.0.2.9", undefined, undefined, "192.0.2.9"],
  ["client", "::ffff:192.0.2.9", undefined, undefined, "192.0.2.9"],
  ["client", undefined, undefined, undefined, null],
  ["client", "192.0.2.9", "198.51.100.1", undefined, "198.51.100.1"],
  ["client", "192.0.2.9", "198.51.100.1, 10.0.0.1", undefined, "198.51.100.1"],
  ["client", "192.0.2.9", " 198.51.100.1 ,10.0.0.1", undefined, "198.51.100.1"],
  ["client", "192.0.2.9", "198.51.100.1:4711, 10.0.0.1", undefined, "198.51.100.1"],
  ["client", "192.0.2.9", "[2001:db8::1]:443", undefined, "2001:db8::1"],
  ["client", "192.0.2.9", "[2001:db8::1]", undefined, "2001:db8::1"],
  ["client", "192.0.2.9", "2001:db8::1", undefined, "2001:db8::1"],
  ["client", "192.0.2.9", "2001:0DB8:0:0:0:0:0:1", undefined, "2001:db8::1"],
  ["client", "192.0.2.9", "::FFFF:198.51.100.1", undefined, "198.51.100.1"],
  ["client", "192.0.2.9", "[::ffff:198.51.100.1]:80", undefined, "198.51.100.1"],
  ["client", "192.0.2.9", "unknown, 198.51.100.1", undefined, "unknown"],
  ["client", "192.0.2.9", ", ,198.51.100.1", undefined, "198.51.100.1"],
  ["client", "192.0.2.9", "", undefined, "192.0.2.9"],
  ["client", "192.0.2.9", "", "203.0.113.1", "203.0.113.1"],
  ["client", "192.0.2.9", undefined, "203.0.113.1", "203.0.113.1"],
  ["client", "192.0.2.9", "198.51.100.1", "203.0.113.1", "198.51.100.1"],
  ["real_ip", "192.0.2.9", "198.51.100.1", "203.0.113.1", "203.0.113.1"],
  ["real_ip", "192.0.2.9", "198.51.100.1", undefined, "198.51.100.1"],
  ["real_ip", "192.0.2.9", undefined, undefined, "192.0.2.9"],
  ["real_ip", "192.0.2.9", undefined, "203.0.113.1:99", "203.0.113.1"],
  ["real_ip", "192.0.2.9", undefined, "203.0.113.1, 203.0.113.2", "203.0.113.1"],
  ["real_ip", undefined, undefined, undefined, null],
  ["socket", "192.0.2.9", "198.51.100.1", "203.0.113.1", "192.0.2.9"],
  ["socket", undefined, "198.51.100.1", undefined, null],
  ["client", "192.0.2.9", Array.from({ length: 60 }, (_, i) => `10.0.0.${i}`).join(","), undefined, "10.0.0.10"],
  ["client", "192.0.2.9", "fe80::1%eth0", undefined, "fe80::1"],
  ["client", "192.0.2.9", "[fe80::1%eth0]:443", undefined, "fe80::1"],
  ["client", "192.0.2.9", "192.0.2.1%eth0", undefined, "192.0.2.1"],
  ["client", "192.0.2.9", "junk%eth0", undefined, "junk%eth0"],
  ["client", "192.0.2.9", "::ffff:c000:201", undefined, "192.0.2.1"],
  ["client", "192.0.2.9", "[0:0:0:0:0:FFFF:C000:0201]:80", undefined, "192.0.2.1"],
  ["client", "192.0.2.9", "::ffff:c000:201%eth0", undefined, "192.0.2.1"],
  ["client", "192.0.2.9", "::fffe:c000:201", undefined, "::fffe:c000:201"],
  ["client", "192.0.2.9", "2001:db8:ffff::1", undefined, "2001:db8:ffff::1"],
];

/** 10.0.0.0/8 and 2001:db8:a::/48 are trusted. */
const trusted: readonly Row[] = [
  ["client", "10.0.0.1", "198.51.100.7", undefined, "198.51.100.7"],
  ["client", "10.0.0.1", "198.51.100.7, 10.0.0.2", undefined, "198.51.100.7"],
  ["client", "10.0.0.1", "198.51.100.7, 10.0.0.2, 10.9.9.9", undefined, "198.51.100.7"],
  ["client", "10.0.0.1", "203.0.113.1, 198.51.100.7", undefined, "198.51.100.7"],
  ["client", "10.0.0.1", "198.51.100.7, 203.0.113.50, 10.0.0.2", undefined, "203.0.113.50"],
  ["client", "10.0.0.1", "10.1.1.1, 10.0.0.2", undefined, "10.1.1.1"],
  ["client", "10.0.0.1", "10.1.1.1", undefined, "10.1.1.1"],
  ["client", "10.0.0.1", undefined, undefined, "10.0.0.1"],
  ["client", "10.0.0.1", undefined, "203.0.113.1", "203.0.113.1"],
  ["client", "10.0.0.1", "198.51.100.7, junk, 10.0.0.2", undefined, "10.0.0.2"],
  ["client", "10.0.0.1", "198.51.100.7, junk", undefined, "10.0.0.1"],
  ["client", "10.0.0.1", "junk, 198.51.100.7", undefined, "198.51.100.7"],
  ["client", "10.0.0.1", "junk, 198.51.100.7, 10.0.0.2", undefined, "198.51.100.7"],
  ["client", "10.0.0.1", "198.51.100.7, 127.0.0.1", undefined, "127.0.0.1"],
  ["client", "10.0.0.1", "198.51.100.7:80, 10.0.0.2:8080", undefined, "198.51.100.7"],
  ["client", "10.0.0.1", "[2001:db8:b::1]:80, [2001:db8:a::1]:80", undefined, "2001:db8:b::1"],
  ["client", "10.0.0.1", "2001:db8:b::1, ::ffff:10.0.0.3", undefined, "2001:db8:b::1"],
  ["client", "10.0.0.1", "198.51.100.7, ::ffff:a00:3", undefined, "198.51.100.7"],
  ["client", "::ffff:10.0.0.1", "198.51.100.7", undefined, "198.51.100.7"],
  ["client", "2001:db8:a::9", "198.51.100.7", undefined, "198.51.100.7"],
  ["client", "127.0.0.1", "198.51.100.7", undefined, "198.51.100.7"],
  ["client", "127.9.9.9", "198.51.100.7", undefined, "198.51.100.7"],
  ["client", "::1", "198.51.100.7", undefined, "198.51.100.7"],
  ["client", undefined, "198.51.100.7", undefined, "198.51.100.7"],
  ["client", undefined, undefined, undefined, null],
  ["client", "192.0.2.9", "198.51.100.7", undefined, "192.0.2.9"],
  ["client", "192.0.2.9", "198.51.100.7, 10.0.0.1", "203.0.113.1", "192.0.2.9"],
  ["client", "2001:db8:b::9", "198.51.100.7", undefined, "2001:db8:b::9"],
  ["client", "11.0.0.1", undefined, "203.0.113.1", "11.0.0.1"],
  ["real_ip", "10.0.0.1", "198.51.100.7", "203.0.113.1", "203.0.113.1"],
  ["real_ip", "10.0.0.1", "198.51.100.7, 10.0.0.2", undefined, "198.51.100.7"],
  ["real_ip", "192.0.2.9", "198.51.100.7", "203.0.113.1", "192.0.2.9"],
  ["real_ip", "127.0.0.1", undefined, "203.0.113.1", "203.0.113.1"],
  ["real_ip", "192.0.2.9", undefined, undefined, "192.0.2.9"],
  ["socket", "10.0.0.1", "198.51.100.7", "203.0.113.1", "10.0.0.1"],
  ["socket", "192.0.2.9", "198.51.100.7", undefined, "192.0.2.9"],
  [
    "client",
    "10.0.0.1",
    Array.from({ length: 60 }, (_, i) => (i === 5 ? "198.51.100.7" : `10.0.0.${i}`)).join(","),
    undefined,
    "10.0.0.10",
  ],
];

describe.each([
  ["without trusted proxies", believed, undefined],
  ["with trusted proxies", trusted, ["10.0.0.0/8", "2001:db8:a::/48"]],
] as const)("%s", (_, rows, proxies) => {
  test.each(rows)("%s of peer %s, forwarded for %s, real ip %s: %s", (source, peer, forwarded, realIp, gives) => {
    const headers = {
      ...(forwarded === undefined ? {} : { "x-forwarded-for": forwarded }),
      ...(realIp === undefined ? {} : { "x-real-ip": realIp }),
    };
    const chain = chainOf({ headers, peer });
    const seen = seenIn(chain, { source, proxies: proxies === undefined ? undefined : ranges(proxies) });
    expect(sourceOf(chain, seen, source)).toBe(gives);
  });
});

test("there are sixty chains", () => {
  expect(believed.length + trusted.length).toBeGreaterThanOrEqual(60);
});
