import { describe, expect, test } from "vitest";
import { prepare, regex } from "#runtime/features/matchers/regex.ts";
import { compile } from "#runtime/languages/regex.ts";
import { atOnce } from "#runtime/threads/slices.ts";

const tooMany = "pattern takes more than 20000000 steps for one match";

describe("a match that would take long fails after a number of steps", () => {
  const text = "ab".repeat(1_000_000);
  const large = compile("(a?){300}(a{300})");

  test.each([
    ["groups of a long match", () => compile("((a|b)*)[ac]|(a)").exec(text)],
    ["a large pattern", () => large.exec(text)],
    ["a large pattern again, in a text that takes few", () => large.exec("ab".repeat(30_000))],
    ["the first of all matches", () => atOnce(compile("(a|b)*c|(a)").replace(text, () => ""))],
  ])("%s", (_, match) => {
    expect(match).toThrow(tooMany);
  });

  test("others go on with the same pattern", () => {
    expect(() => large.exec(text)).toThrow(tooMany);
    expect(large.exec("a".repeat(300))?.[0]).toHaveLength(300);
    expect(large.exec("b".repeat(100))).toBeNull();
    expect(() => large.exec(text)).toThrow(tooMany);
  });

  test("each match begins anew", () => {
    const found = atOnce(compile("(a)(b)").replace("ab".repeat(100_000), ([all]) => (all === "ab" ? "c" : "d")));
    expect(found).toBe("c".repeat(100_000));
  });

  test("the matcher fails with the reason, where the engine goes through the text character by character", () => {
    let state = 1;
    // Without a period, so that the engine has to keep more places than its automaton has room for.
    const letters = Array.from({ length: 1_000_000 }, () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return (state >>> 16) % 2 === 0 ? "a" : "b";
    }).join("");
    expect(regex(`${letters}c${letters}`, prepare("a[ab]{300}[^ab][ab]{5}[^ab]"))).toContain(tooMany);
  });
});
