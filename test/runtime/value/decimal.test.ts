import fc from "fast-check";
import { expect, it } from "vitest";
import { fixed, round } from "#runtime/value/decimal.ts";

it.each([
  [1.005, 2, 1.01],
  [-2.675, 2, -2.68],
  [0.125, 2, 0.13],
  [2.5, 0, 3],
  [-2.5, 0, -3],
  [1e21, 2, 1e21],
  [5e-16, 15, 1e-15],
  [4.9e-16, 15, 0],
  [123456789.98765433, 3, 123456789.988],
])("%d at %i places is %d", (value, places, rounded) => {
  expect(round(value, places)).toBe(rounded);
});

it.each([
  [10.5, 2, "10.50"],
  [-0.001, 2, "0.00"],
  [-0.005, 2, "-0.01"],
  [-0, 0, "0"],
  [1e21, 1, "1000000000000000000000.0"],
  [1e-7, 3, "0.000"],
  [7, 0, "7"],
])("%d at %i places is written %s", (value, places, text) => {
  expect(fixed(value, places)).toBe(text);
});

/** Rounds digits as they are written, by whole numbers: 1.005 at 2 places is 1005 of 1000, so 101 of 100. */
function byDigits(text: string, places: number): string {
  const [, sign = "", whole = "", fraction = ""] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  const kept = BigInt(whole + fraction.slice(0, places).padEnd(places, "0"));
  const up = Number(fraction[places] ?? 0) >= 5 ? 1n : 0n;
  const digits = String(kept + up).padStart(places + 1, "0");
  const out = places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`;
  return /[1-9]/.test(out) ? sign + out : out;
}

it("rounds the shortest decimal text, not the double behind it", () => {
  const number = fc
    .tuple(fc.integer({ min: -1_000_000_000, max: 1_000_000_000 }), fc.nat({ max: 6 }))
    .map(([n, places]) => n / 10 ** places);
  fc.assert(
    fc.property(number, fc.nat({ max: 15 }), (value, places) => {
      fc.pre(!String(value).includes("e"));
      expect(fixed(value, places)).toBe(byDigits(String(value), places));
      expect(round(value, places) + 0).toBe(Number(byDigits(String(value), places)) + 0);
    }),
  );
});
