import { BlockList } from "node:net";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Address, addressText, parseAddress, parseRange, type Range } from "#runtime/network/addresses/address.ts";
import { merged, overlap, ranges, rangeTexts } from "#runtime/network/addresses/ranges.ts";

// Addresses and sets of them, against Node's own (spec/surfaces 9).

describe("an address", () => {
  test.each<[string, string]>([
    ["192.0.2.1", "192.0.2.1"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["0:0:0:0:0:FFFF:c000:0201", "192.0.2.1"],
    ["2001:0DB8:0:0::1", "2001:db8::1"],
    ["fe80::1%eth0", "fe80::1"],
    ["::", "::"],
    ["1:2:3:4:5:6:7.8.9.10", "1:2:3:4:5:6:708:90a"],
    ["::7.8.9.10", "::708:90a"],
  ])("%s is %s", (text, usual) => {
    const address = parseAddress(text);
    expect(address === undefined ? undefined : addressText(address)).toBe(usual);
  });

  test.each([
    "",
    "unknown",
    "1.2.3",
    "1.2.3.4.5",
    "256.1.1.1",
    "010.0.0.1",
    "0x7f.1",
    "127.1",
    "1:2",
    ":::",
    "1.2.3.4/8",
    "[::1]",
    " 1.2.3.4",
    "::1::",
  ])("%j is none", (text) => {
    expect(parseAddress(text)).toBeUndefined();
  });

  test("its text reads as the address, whatever it is", () => {
    fc.assert(
      fc.property(fc.oneof(v4, v6), (address) => {
        expect(parseAddress(addressText(address))).toBe(address);
      }),
    );
  });
});

describe("a range", () => {
  test.each<[string, readonly string[]]>([
    ["10.1.2.3/8", ["10.0.0.0/8"]],
    ["192.0.2.1", ["192.0.2.1"]],
    ["0.0.0.0/0", ["0.0.0.0/0"]],
    ["::/0", ["::/0"]],
    ["2001:db8::1/32", ["2001:db8::/32"]],
    ["::ffff:10.0.0.0/104", ["10.0.0.0/8"]],
    ["::ffff:10.0.0.1/128", ["10.0.0.1"]],
    ["::ffff:0:0/95", ["::fffe:0:0/95"]],
  ])("%s is %j", (text, usual) => {
    const range = parseRange(text);
    expect(range === undefined ? undefined : rangeTexts([range])).toEqual(usual);
  });

  test.each(["10.0.0.0/33", "::/129", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/8/8", "/8", "10.0.0.0/08x", "fe80::1%eth0/64"])(
    "%j is none",
    (text) => {
      expect(parseRange(text)).toBeUndefined();
    },
  );
});

const v4 = fc.integer({ min: 0, max: 0xffff_ffff });
// Few addresses, so that ranges meet; none of them is IPv4 in the form of IPv6.
const v6 = fc.bigInt({ min: 1n << 100n, max: (1n << 128n) - 1n });
const near4 = fc.integer({ min: 0xc0_00_02_00, max: 0xc0_00_02_ff });
const near6 = fc.bigInt({ min: 0x2001_0db8n << 96n, max: (0x2001_0db8n << 96n) + 255n });
const cidr = fc.oneof(
  fc.tuple(near4, fc.integer({ min: 20, max: 32 })).map(([address, bits]) => `${addressText(address)}/${bits}`),
  fc.tuple(near6, fc.integer({ min: 116, max: 128 })).map(([address, bits]) => `${addressText(address)}/${bits}`),
);

describe("a set", () => {
  test("holds what Node's own holds", () => {
    fc.assert(
      fc.property(fc.array(cidr, { maxLength: 12 }), fc.array(fc.oneof(near4, near6, v4, v6), { maxLength: 20 }), (texts, asked) => {
        const [ours, nodes] = [ranges(texts), new BlockList()];
        for (const text of texts) {
          const [net = "", bits] = text.split("/");
          nodes.addSubnet(net, Number(bits), net.includes(":") ? "ipv6" : "ipv4");
        }
        for (const address of asked) {
          expect([addressText(address), ours.has(address)]).toEqual([
            addressText(address),
            nodes.check(addressText(address), familyOf(address)),
          ]);
        }
      }),
    );
  });

  test("is the same when it is merged, written and read again, in the fewest ranges", () => {
    fc.assert(
      fc.property(fc.array(cidr, { maxLength: 12 }), (texts) => {
        const once = merged(texts.map(read));
        expect(merged(rangeTexts(once).map(read))).toEqual(once);
        for (const [i, [first]] of once.entries()) {
          const before = once[i - 1]?.[1];
          if (before !== undefined && typeof before === typeof first) expect(BigInt(first) - BigInt(before)).toBeGreaterThan(1n);
        }
      }),
    );
  });

  test("overlaps another when some address is in both", () => {
    fc.assert(
      fc.property(fc.array(cidr, { maxLength: 4 }), fc.array(cidr, { maxLength: 4 }), (a, b) => {
        const [one, other] = [merged(a.map(read)), merged(b.map(read))];
        // Ranges meet exactly if the beginning of one lies in the other.
        const inOther = one.some(([first]) => ranges(b).has(first)) || other.some(([first]) => ranges(a).has(first));
        expect(overlap(one, other)).toBe(inOther);
      }),
    );
  });
});

const familyOf = (address: Address): "ipv4" | "ipv6" => (typeof address === "number" ? "ipv4" : "ipv6");

function read(text: string): Range {
  const range = parseRange(text);
  if (range === undefined) throw new Error(text);
  return range;
}
