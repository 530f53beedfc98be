import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TokenBucket } from "#runtime/network/token-bucket.ts";
import { Channels, type Listener } from "#runtime/realtime/channels.ts";
import { History } from "#runtime/realtime/history.ts";
import { channelLevels, covers, patternLevels } from "#runtime/realtime/names.ts";
import { Presence } from "#runtime/realtime/presence.ts";
import { Subscriptions } from "#runtime/realtime/subscriptions.ts";
import type { Json } from "#runtime/value/json.ts";
import { textIn } from "../../../harness/sockets.ts";

// Channels in the memory of a process (spec/surfaces 3).

/** A listener that remembers what it hears. */
function ear(): Listener & { readonly heard: Json[] } {
  const heard: Json[] = [];
  return { heard, push: (frame) => void heard.push(JSON.parse(textIn(frame))) };
}

describe("names", () => {
  const right = ["a", "a:b", "a/b:c", "a::b", ":a", "a:", "ü".repeat(128), "x".repeat(256), "a b", "__proto__", "a:$b"];
  test.each(right)("%s is a channel", (name) => expect(channelLevels(name)).toBeDefined());

  const wrong = ["", "$a", "$", "a+", "a:+", "#", "a\nb", "a\u0000", "a\u007f", "a\u0085", "\ud800", "x".repeat(257), "ü".repeat(129)];
  test.each(wrong)("%j is no channel", (name) => expect(channelLevels(name)).toBeUndefined());

  test.each(["a", "+", "#", "a:+:b", "a/#", "+/+", ":+", "+:#"])("%s can be subscribed to", (name) =>
    expect(patternLevels(name)).toBeDefined(),
  );
  test.each(["a#", "#:a", "a:#:b", "+a", "a:b+", "##", "++", "$#", "a:#/", ""])("%j cannot", (name) =>
    expect(patternLevels(name)).toBeUndefined(),
  );
});

const levelsOf = (name: string): readonly string[] => patternLevels(name) ?? [];

describe("wildcards", () => {
  const cases: readonly [pattern: string, fits: readonly string[], fitsNot: readonly string[]][] = [
    ["a:+", ["a:b", "a:"], ["a", "a/b", "a:b:c", "b:a"]],
    ["+", ["a", ""], ["a:b", "a/b"]],
    ["a:#", ["a", "a:b", "a:b:c", "a:b/c"], ["a/b", "ab", "b"]],
    ["a/#", ["a", "a/b"], ["a:b"]],
    ["#", ["a", "a:b/c", ":a", "/"], []],
    ["+:b:#", ["a:b", "a:b:c"], ["a", "a:c", "a/b"]],
    [":+", [":a"], ["a", "/a"]],
    [":#", [":a", ":a:b"], ["a", "/a"]],
    ["+/+", ["a/b", "/b"], ["a:b", "a/b/c"]],
  ];
  test.each(cases)("%s", (pattern, fits, fitsNot) => {
    const subscriptions = new Subscriptions<string>();
    subscriptions.add(pattern, levelsOf(pattern), "me");
    const hears = (name: string): boolean => {
      const levels = name === "" ? [""] : levelsOf(name);
      expect(covers(levelsOf(pattern), levels)).toBe(subscriptions.listeners(name, levels).has("me"));
      return subscriptions.listeners(name, levels).has("me");
    };
    expect(fits.filter((name) => !hears(name))).toEqual([]);
    expect(fitsNot.filter(hears)).toEqual([]);
  });

  const level = fc.constantFrom("a", "b", "");
  const separator = fc.constantFrom(":", "/");
  const nameOf = (levels: fc.Arbitrary<string>) =>
    fc
      .tuple(levels, fc.array(fc.tuple(separator, levels), { maxLength: 4 }))
      .map(([first, rest]) => first + rest.map((each) => each.join("")).join(""));
  const channel = nameOf(level).filter((name) => channelLevels(name) !== undefined);
  const pattern = nameOf(fc.constantFrom("a", "b", "", "+", "#")).filter((name) => patternLevels(name) !== undefined);

  test("the tree of patterns finds whom each pattern alone would, and forgets them", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(pattern, fc.constantFrom("x", "y", "z")), { maxLength: 12 }), channel, (all, name) => {
        const subscriptions = new Subscriptions<string>();
        for (const [each, who] of all) subscriptions.add(each, levelsOf(each), who);
        expect(subscriptions.size).toBe(new Set(all.map(([each]) => each)).size);
        const wanted = new Set(all.filter(([each]) => covers(levelsOf(each), levelsOf(name))).map(([, who]) => who));
        expect(subscriptions.listeners(name, levelsOf(name))).toEqual(wanted);
        for (const [each, who] of all) subscriptions.remove(each, levelsOf(each), who);
        expect(subscriptions.size).toBe(0);
        expect(subscriptions.listeners(name, levelsOf(name)).size).toBe(0);
      }),
    );
  });

  test("what covers a pattern hears of all that it can hear of", () => {
    let met = 0;
    const holds = fc.property(pattern, pattern, channel, (outer, inner, name) => {
      if (!covers(levelsOf(outer), levelsOf(inner)) || !covers(levelsOf(inner), levelsOf(name))) return;
      met += 1;
      expect(covers(levelsOf(outer), levelsOf(name))).toBe(true);
    });
    fc.assert(holds, { numRuns: 10_000 });
    expect(met).toBeGreaterThan(50);
  });
});

describe("limits", () => {
  test("of one listener", () => {
    const channels = new Channels({ limits: { subscriptions: 2, presence: 1 } });
    const me = ear();
    const all = ["a", "a:+", "b"];
    expect(all.map((name) => channels.subscribe(me, name))).toEqual([undefined, undefined, "limit_subscriptions"]);
    expect(channels.subscribe(me, "a")).toBeUndefined();
    channels.unsubscribe(me, "a");
    expect(channels.subscribe(me, "b")).toBeUndefined();
    const member = { id: "i", state: null };
    expect(["a", "a", "b"].map((name) => channels.enter(me, name, member))).toEqual([undefined, undefined, "limit_presence"]);
    channels.forget(me);
    expect([channels.subscribe(me, "c"), channels.enter(me, "b", member)]).toEqual([undefined, undefined]);
  });

  test("of all together", () => {
    const channels = new Channels({ limits: { topics: 2, retained: 1, messageBytes: 10 } });
    expect(["a", "a:#", "b"].map((name) => channels.subscribe(ear(), name))).toEqual([undefined, undefined, "limit_topics"]);
    expect(channels.subscribe(ear(), "a:#")).toBeUndefined();
    const retain = (name: string, data: Json) => channels.publish(name, data, true);
    expect([retain("x", 1), retain("x", 2), retain("y", 1), retain("y", null), retain("x", null), retain("y", 1)]).toEqual([
      ...[undefined, undefined, "limit_retained", undefined, undefined, undefined],
    ]);
    const few = new Channels({ limits: { retainedBytes: 25 } });
    const kept = (name: string, length: number) => few.publish(name, "x".repeat(length), true);
    expect([kept("x", 10), kept("y", 10), kept("x", 8), kept("y", 10), kept("x", 10)]).toEqual([
      ...[undefined, "limit_retained", undefined, undefined, "limit_retained"],
    ]);
    expect([channels.publish("a", "12345678", false), channels.publish("a", "123456789", false)]).toEqual([undefined, "payload_too_large"]);
  });

  test("a state is small, and nobody else says who is present", () => {
    const channels = new Channels();
    expect(channels.enter(ear(), "a", { id: "i", state: "x".repeat(5_000) })).toBe("payload_too_large");
    expect(channels.publish("a", { $presence: { action: "enter", id: "boss", state: null } }, false)).toBe("invalid_frame");
    expect(channels.publish("a", { data: { $presence: 1 } }, false)).toBeUndefined();
  });

  test("names that are none are refused wherever they are given", () => {
    const channels = new Channels();
    const me = ear();
    expect([channels.publish("a:+", 1, false), channels.subscribe(me, "a#"), channels.enter(me, "#", { id: "i", state: null })]).toEqual(
      Array.from({ length: 3 }, () => "invalid_channel"),
    );
    expect([channels.leave(me, "#"), channels.members("#")]).toEqual(["invalid_channel", undefined]);
  });
});

test("the history keeps the last messages, and makes room by channels", () => {
  const history = new History(2);
  const message = (number: number, size = 1) => ({ number, data: "x".repeat(size) });
  for (let n = 1; n <= 3; n++) history.add("a", message(n));
  expect(history.last("a", 9).map(({ number }) => number)).toEqual([2, 3]);
  expect(history.last("a", 1).map(({ number }) => number)).toEqual([3]);
  expect(history.last("a", 0)).toEqual([]);
  history.add("b", message(4, 30_000_000));
  history.last("a", 1);
  history.add("c", message(5, 40_000_000));
  expect(["a", "b", "c"].map((name) => history.last(name, 9).length)).toEqual([2, 0, 1]);
  expect(new History(0).last("a", 9)).toEqual([]);
  const alone = new History(1_000);
  for (let n = 1; n <= 4; n++) alone.add("a", message(n, 20_000_000));
  expect(alone.last("a", 9).map(({ number }) => number)).toEqual([2, 3, 4]);
});

test("an id is present as long as anybody is, and one listener is one id", () => {
  const presence = new Presence<string>();
  const actions = (events: readonly { readonly action: string; readonly id: string }[]) =>
    events.map(({ action, id }) => `${action} ${id}`);
  expect(actions(presence.enter("c", "tab 1", { id: "ann", state: 1 }))).toEqual(["enter ann"]);
  expect(actions(presence.enter("c", "tab 2", { id: "ann", state: 2 }))).toEqual(["update ann"]);
  expect(actions(presence.leave("c", "tab 1"))).toEqual([]);
  expect(presence.members("c")).toEqual([{ id: "ann", state: 2 }]);
  expect(actions(presence.enter("c", "tab 2", { id: "bob", state: 3 }))).toEqual(["leave ann", "enter bob"]);
  expect(actions(presence.leave("c", "nobody"))).toEqual([]);
  expect([presence.countOf("tab 2"), presence.channelsOf("tab 2")]).toEqual([1, ["c"]]);
  expect(actions(presence.leave("c", "tab 2"))).toEqual(["leave bob"]);
  expect([presence.members("c"), presence.countOf("tab 2")]).toEqual([[], 0]);
});

test("members are in the order of code points", () => {
  const presence = new Presence<number>();
  for (const [n, id] of ["b", "\u{10000}", "a", "\uffff", "B"].entries()) presence.enter("c", n, { id, state: null });
  expect(presence.members("c").map(({ id }) => id)).toEqual(["B", "a", "b", "\uffff", "\u{10000}"]);
});

test("a listener that has gone hears nothing, and is nowhere", () => {
  const channels = new Channels();
  const [me, other] = [ear(), ear()];
  channels.subscribe(me, "a");
  channels.subscribe(me, "+");
  channels.subscribe(other, "a");
  channels.enter(me, "a", { id: "me", state: null });
  channels.forget(me);
  channels.publish("a", 1, false);
  expect(me.heard.length).toBe(1);
  expect(other.heard.map((each) => JSON.stringify(each)).at(-1)).toBe('{"ap_channel":"a","data":1}');
  expect(channels.members("a")).toEqual([]);
});

test("a rate is refilled as time goes by, and not beyond its burst", () => {
  const bucket = new TokenBucket(2, 0);
  expect([0, 0, 0, 500, 500, 10_000, 10_000, 10_000].map((now) => bucket.take(now))).toEqual([
    ...[true, true, false, true, false, true, true, false],
  ]);
});
