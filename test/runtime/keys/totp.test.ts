import { describe, expect, it } from "vitest";
import { is_valid_totp, prepare } from "../../../runtime/features/matchers/is_valid_totp.ts";
import type { Hash } from "../../../runtime/keys/hmac.ts";
import { totpCode, totpCounter } from "../../../runtime/keys/totp.ts";
import type { Run } from "../../../runtime/run/run.ts";

const digits = "1234567890";
const seeds: Readonly<Record<Hash, string>> = {
  sha1: digits.repeat(2),
  sha256: `${digits.repeat(3)}12`,
  sha512: `${digits.repeat(6)}1234`,
};
const rules = (hash: Hash, length: number) => ({ key: Buffer.from(seeds[hash]), digits: length, period: 30, hash });

it("RFC 4226, appendix D", () => {
  const codes = Array.from({ length: 10 }, (_, counter) => totpCode(rules("sha1", 6), counter));
  expect(codes).toEqual(["755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871", "520489"]);
});

describe("RFC 6238, appendix B", () => {
  it.each([
    [59, "94287082", "46119246", "90693936"],
    [1_111_111_109, "07081804", "68084774", "25091201"],
    [1_111_111_111, "14050471", "67062674", "99943326"],
    [1_234_567_890, "89005924", "91819424", "93441116"],
    [2_000_000_000, "69279037", "90698825", "38618901"],
    [20_000_000_000, "65353130", "77737706", "47863826"],
  ])("at %s", (seconds, ...codes) => {
    const counter = totpCounter(seconds * 1000, 30);
    expect((["sha1", "sha256", "sha512"] as const).map((hash) => totpCode(rules(hash, 8), counter))).toEqual(codes);
  });

  it("whole seconds count", () => {
    expect(totpCounter(59_999, 30)).toBe(1);
    expect(totpCounter(60_000, 30)).toBe(2);
  });
});

describe("is_valid_totp", () => {
  // The matcher reads the clock alone of a run.
  const at = (ms: number): Run => ({ host: { now: () => ms } }) as unknown as Run;
  const judged = (code: string, ms: number, window?: number): unknown =>
    is_valid_totp(code, prepare({ secret: seeds.sha1, encoding: "ascii", digits: 8, ...(window === undefined ? {} : { window }) }), at(ms));

  it("passes from one period before to one after", () => {
    const passed = [-30, -1, 0, 29, 30, 59, 60, 89, 90].filter((seconds) => judged("94287082", seconds * 1000) === true);
    expect(passed).toEqual([0, 29, 30, 59, 60, 89]);
  });

  it("passes its own period alone without a window", () => {
    expect([29_999, 30_000, 59_999, 60_000].map((ms) => judged("94287082", ms, 0) === true)).toEqual([false, true, true, false]);
  });

  it("says nothing of the secret or of the code", () => {
    expect(judged("12345678", 0)).toBe("invalid totp");
  });
});
