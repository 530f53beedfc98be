import { describe, expect, test } from "vitest";
import { Roster } from "#runtime/value/roster.ts";

function rosterOf(...members: readonly string[]): {
  readonly roster: Roster<string>;
  readonly leave: Readonly<Record<string, () => void>>;
} {
  const roster = new Roster<string>();
  return { roster, leave: Object.fromEntries(members.map((member) => [member, roster.add(member)])) };
}

describe("a roster", () => {
  test("has its members in the order in which they came, whoever leaves", () => {
    for (const [left, rest] of [
      ["a", "bcd"],
      ["b", "acd"],
      ["c", "abd"],
      ["d", "abc"],
    ] as const) {
      const { roster, leave } = rosterOf("a", "b", "c", "d");
      leave[left]?.();
      expect([[...roster].join(""), roster.size, roster.first]).toEqual([rest, 3, rest[0]]);
      roster.add("e");
      expect([...roster].join("")).toBe(`${rest}e`);
    }
  });

  test("is empty when all have left, and can be filled again", () => {
    const { roster, leave } = rosterOf("a", "b");
    leave.b?.();
    leave.a?.();
    expect([[...roster], roster.size, roster.first, roster.shift()]).toEqual([[], 0, undefined, undefined]);
    roster.add("c");
    expect([[...roster], roster.size]).toEqual([["c"], 1]);
  });

  test("has equal members as often as they came", () => {
    const { roster, leave } = rosterOf("a");
    roster.add("a");
    leave.a?.();
    expect([...roster]).toEqual(["a"]);
  });

  test("a member leaves once, however often it is told to", () => {
    const { roster, leave } = rosterOf("a", "b", "c");
    expect(roster.shift()).toBe("a");
    leave.a?.();
    leave.b?.();
    leave.b?.();
    expect([[...roster], roster.size]).toEqual([["c"], 1]);
  });

  test("shows those of the moment when it is asked, whoever comes and goes meanwhile", () => {
    const { roster, leave } = rosterOf("a", "b", "c");
    const seen: string[] = [];
    for (const member of roster) {
      seen.push(member);
      leave.a?.();
      leave.b?.();
      roster.add("d");
    }
    expect(seen).toEqual(["a", "b", "c"]);
    expect([...roster]).toEqual(["c", "d", "d", "d"]);
  });
});
