import { describe, expect, it } from "vitest";
import { verify_bcrypt } from "../../../runtime/features/matchers/verify_bcrypt.ts";
import { versionRange } from "../../../runtime/languages/version-range.ts";
import type { Run } from "../../../runtime/run/run.ts";
import type { Json } from "../../../runtime/value/json.ts";
import { stillHostWithThreads } from "../../harness/still-host.ts";

describe("verify_bcrypt", () => {
  const hash = "$2b$04$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e";

  it("a cancelled run stops waiting", async () => {
    // The matchers read the host and the signal alone of a run.
    const cx = { host: stillHostWithThreads(), signal: AbortSignal.abort(new Error("cancelled")) } as Run;
    await expect(verify_bcrypt("correct horse", hash, cx)).rejects.toThrow("cancelled");
  });

  it.each<Json>(["correct horse", "other", hash, null, 1])("says nothing of %j", async (target) => {
    const cx = { host: stillHostWithThreads(), signal: new AbortController().signal } as Run;
    expect([true, "bcrypt verification failed"]).toContain(await verify_bcrypt(target, hash, cx));
  });
});

describe("ranges of versions", () => {
  it("are bounded, and so are versions", () => {
    expect(versionRange("1.0.0 || ".repeat(100))).toBeUndefined();
    const holds = versionRange(">=1.0.0-0");
    expect(holds?.(`1.0.0-${"a".repeat(200)}`)).toBe(true);
    expect(holds?.(`1.0.0-${"a".repeat(300)}`)).toBe(false);
  });

  it.each(["", " ", "latest", "1.2.3.4", ">=", "^a"])("not %j", (text) => {
    expect(versionRange(text)).toBeUndefined();
  });
});

// Matchers describe their target (spec/surfaces 6.1): text, with a note on what it holds.
it.each<[string, Json, object]>([
  ["semver_matches", "^1.2", { type: "string", description: "A version that satisfies ^1.2." }],
  ["verify_bcrypt", "", { type: "string", description: "The text behind a bcrypt hash." }],
  ["verify_signature", {}, { type: "string", description: "A text with a valid signature." }],
  ["is_valid_hmac", {}, { type: "string", description: "The digest (HMAC) of a message." }],
  ["is_valid_totp", {}, { type: "string", description: "A one-time code (TOTP)." }],
  ["is_authorization", true, { type: "string", description: "Value of an Authorization header, Basic or Bearer." }],
  ["is_authorization", false, {}],
  ["compare_value", {}, { description: "Equal to a given structure." }],
])("%s describes its target", async (name, operand, expected) => {
  const { spec } = await import(`#runtime/features/matchers/${name}.ts`);
  expect(spec.target ?? spec.describe(operand)).toEqual(expected);
});

it("expression says nothing of its target", async () => {
  const { spec } = await import("../../../runtime/features/matchers/expression.ts");
  expect([spec.target, spec.describe]).toEqual([undefined, undefined]);
});
