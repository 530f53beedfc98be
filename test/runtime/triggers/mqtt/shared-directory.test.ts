import { expect, test } from "vitest";
import type { Kept } from "#runtime/bus/bus.ts";
import { Directory } from "#runtime/triggers/mqtt/shared/directory.ts";
import { encode, keepOf, kind, type Notice } from "#runtime/triggers/mqtt/shared/notices.ts";

// A process that comes while a session is on its way must choose the same member of a group as all others do.

const clock = { now: () => 1_000, monotonic: () => 1_000 };

const left = { t: "left", key: "a", name: "one 1", keptMs: 60_000, epoch: 1, until: 61_000 } as const;
const opened = { t: "open", key: "a", name: "two 1", keeps: true, keptMs: 60_000 } as const;
/** The groups of a session that its process keeps no longer than its connection. */
const lost = { t: "shares", key: "a", name: "one 1", isDurable: false } as const;
const shares = (name: string, ...texts: string[]): Notice => ({ t: "shares", key: "a", name, isDurable: true, texts });

/** These notices as the bus keeps them: the first is at position 1, and its owner is the begin of its name. */
const keptOf = (notices: readonly Notice[]): readonly Kept[] =>
  notices.map((notice, i) => {
    const { key = "", name = "" } = notice as { key?: string; name?: string };
    const keep = { key: notice.t === "shares" ? keepOf.shares({ key, name }) : keepOf.session({ key, name }) };
    return { kind, body: encode(notice, clock), keep, position: i + 1, owner: name.split(" ")[0] ?? "" };
  });

test.each<[string, readonly Notice[], readonly string[]]>([
  ["of its earlier owner, which has not stored it yet", [shares("one 1", "$share/g/s"), left, opened], ["$share/g/s"]],
  ["that its opening names, when those of its earlier owner are gone", [left, { ...opened, texts: ["$share/g/s"] }], ["$share/g/s"]],
  [
    "of its earlier owner, which are newer than its opening knew",
    [shares("one 1", "$share/g/t"), left, { ...opened, texts: [] }],
    ["$share/g/t"],
  ],
  ["that its new owner tells", [shares("one 1", "$share/g/s"), left, opened, shares("two 1", "$share/g/t")], ["$share/g/t"]],
  [
    "of its new owner, whatever the earlier one says later",
    [left, { ...opened, texts: ["$share/g/s"] }, shares("one 1", "$share/g/t")],
    ["$share/g/s"],
  ],
  ["no more, when the earlier one ended with its connection", [{ ...lost, texts: ["$share/g/s"] }, opened], []],
  ["no more, when it begins anew", [shares("one 1", "$share/g/s"), left, { ...opened, keeps: false }], []],
])("a session has the groups %s", (_, notices, texts) => {
  const directory = new Directory(clock);
  directory.restore(keptOf(notices));
  expect(directory.get("a")?.name).toBe("two 1");
  expect(directory.groups.textsOf("a")).toEqual(texts);
});

test("a notice that a session goes on has its groups, where it has some", () => {
  const directory = new Directory(clock);
  directory.restore(keptOf([shares("one 1", "$share/g/s"), left]));
  expect(directory.sharesOf("a")).toEqual({ texts: ["$share/g/s"] });
  expect(directory.sharesOf("b")).toEqual({});
  directory.restore(keptOf([shares("one 1", "$share/g/s"), { ...opened, name: "one 1", keptMs: 0 }]));
  expect(directory.sharesOf("a")).toEqual({});
});
