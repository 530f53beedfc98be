import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Subscriptions } from "#runtime/triggers/mqtt/subscriptions.ts";
import { hasWildcard, isTopicName, levelsOf, matches, overlap, parseFilter } from "#runtime/triggers/mqtt/topics.ts";

// Names and filters of topics (MQTT 4.7), and who is found for a topic: compared with a reading of the standard by regular expression.

const level = fc.constantFrom("", "a", "b", "$x", "é");
const topics = fc
  .array(level, { minLength: 1, maxLength: 4 })
  .map((levels) => levels.join("/"))
  .filter((text) => text !== "");
const filters = fc
  .tuple(fc.array(fc.oneof(level, fc.constant("+")), { minLength: 1, maxLength: 4 }), fc.boolean())
  .map(([levels, isOpen]) => (isOpen ? [...levels.slice(0, -1), "#"] : levels).join("/"))
  .filter((text) => text !== "");

/** The standard, as a pattern. */
function expected(filter: string, topic: string): boolean {
  if (topic.startsWith("$") && /^[+#]/.test(filter)) return false;
  const inner = filter
    .split("/")
    .map((each) => (each === "+" ? "[^/]*" : each.replace(/\$/g, "\\$")))
    .join("/");
  const pattern = filter === "#" ? ".*" : inner.replace(/\/#$/, "(?:/.*)?");
  return new RegExp(`^${pattern}$`, "su").test(topic);
}

const levels = (text: string): readonly string[] => parseFilter(text)?.levels ?? [];

describe("a filter", () => {
  test("matches what the standard says", () => {
    fc.assert(
      fc.property(filters, topics, (filter, topic) => matches(levels(filter), levelsOf(topic)) === expected(filter, topic)),
      { numRuns: 3_000 },
    );
  });

  test("overlaps another when some topic matches both", () => {
    const all = ["a", "b", "$x", "é", "", "c"];
    // The empty topic is invalid, so a pattern for it may count as matching or not.
    const some = all.flatMap((one) => [one, ...all.flatMap((two) => [`${one}/${two}`, ...all.map((three) => `${one}/${two}/${three}`)])]);
    const short = filters.filter((text) => levelsOf(text).length <= 3);
    fc.assert(
      fc.property(short, short, (one, other) => {
        const both = some.some((topic) => expected(one, topic) && expected(other, topic));
        return overlap(levels(one), levels(other)) === both;
      }),
      { numRuns: 1_500 },
    );
  });

  test("finds its owners among many, as if each were asked", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: 0, max: 5 }), filters, fc.boolean()), { maxLength: 30 }), topics, (steps, topic) => {
        const tree = new Subscriptions<number>();
        const plain = new Map<string, string>();
        for (const [owner, text, isAdded] of steps) {
          const filter = parseFilter(text);
          if (filter === undefined) return false;
          if (isAdded) tree.set(filter, owner, { qos: 0, noLocal: false, retainAsPublished: false });
          else tree.delete(filter, owner);
          if (isAdded) plain.set(`${owner} ${text}`, text);
          else plain.delete(`${owner} ${text}`);
        }
        const wanted = [...plain].filter(([, text]) => expected(text, topic)).map(([key]) => Number(key[0]));
        const found = [...tree.find(levelsOf(topic), () => true)].map(({ owner }) => owner);
        return tree.size === plain.size && found.toSorted().join() === wanted.toSorted().join();
      }),
      { numRuns: 1_000 },
    );
  });

  test.each([
    ["#", true],
    ["+", true],
    ["a/+/b/#", true],
    ["/", true],
    ["$share/g/a", true],
    ["a#", false],
    ["a/#/b", false],
    ["a+", false],
    ["a/+b", false],
    ["", false],
    ["a\0", false],
    ["$share/g", false],
    ["$share/g/", false],
    ["$share//a", false],
    ["$share/+/a", false],
    ["x".repeat(65_536), false],
    ["/".repeat(128), false],
  ])("%j is well formed: %s", (text, isWell) => {
    expect(parseFilter(text) !== undefined).toBe(isWell);
  });

  test("of a group names the group and what its members share", () => {
    const filter = parseFilter("$share/workers/a/+");
    expect(filter).toEqual({ text: "$share/workers/a/+", levels: ["a", "+"], group: "workers" });
    expect([filter, parseFilter("a/b")].map((each) => each && hasWildcard(each))).toEqual([true, false]);
  });
});

test.each([
  ["a", true],
  ["/", true],
  ["a b/ü", true],
  ["", false],
  ["a/+", false],
  ["#", false],
  ["a\0b", false],
  ["ü".repeat(32_768), false],
])("%j is a topic to publish to: %s", (text, isTopic) => {
  expect(isTopicName(text)).toBe(isTopic);
});

test("members of a group take turns; who is away is passed over", () => {
  const tree = new Subscriptions<string>();
  const filter = parseFilter("$share/g/a");
  if (filter === undefined) throw new Error("a filter");
  for (const owner of ["one", "two", "away"]) tree.set(filter, owner, { qos: 1, noLocal: false, retainAsPublished: false });
  const next = (isThere: (owner: string) => boolean) => [...tree.find(["a"], isThere)].map(({ owner, share }) => `${owner} ${share}`);
  expect([1, 2, 3, 4].flatMap(() => next((owner) => owner !== "away"))).toEqual([
    "one $share/g/a",
    "two $share/g/a",
    "one $share/g/a",
    "two $share/g/a",
  ]);
  expect(next(() => false)).toEqual(["away $share/g/a"]);
});
