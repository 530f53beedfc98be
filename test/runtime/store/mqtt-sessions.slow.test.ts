import { afterEach, describe, expect, test } from "vitest";
import type { MessageRow, SessionBatch, SessionChange, SessionStore } from "#runtime/store/mqtt-sessions.ts";
import { PostgresSessions } from "#runtime/store/postgres-mqtt-sessions.ts";
import { PostgresStore } from "#runtime/store/postgres-store.ts";
import { SqliteSessions } from "#runtime/store/sqlite-mqtt-sessions.ts";
import { SqliteStore } from "#runtime/store/sqlite-store.ts";
import { server } from "../../harness/peers/postgres-server.ts";
import { postgres } from "../bus/buses.ts";

// The store of MQTT sessions (docs/internals/mqtt.md): the same on every backend.

const closing: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const backends: readonly { readonly name: string; readonly open: () => Promise<SessionStore> }[] = [
  {
    name: "sqlite",
    open: async () => {
      const store = new SqliteSessions(new SqliteStore(":memory:", 100_000_000, Date.now));
      closing.push(() => store.close());
      return store;
    },
  },
  ...(server === undefined
    ? []
    : [
        {
          name: "postgres",
          open: async () => {
            const place = await postgres();
            const store = new PostgresSessions(new PostgresStore(place.address, () => undefined));
            closing.push(
              () => place.close(),
              () => store.close(),
            );
            return store;
          },
        },
      ]),
];

const change = (id: string, epoch: number, more: Partial<SessionChange> = {}): SessionChange => ({
  id,
  name: `"${id}"`,
  epoch,
  owner: "a",
  position: epoch,
  filters: undefined,
  isNew: false,
  set: [],
  removed: [],
  ...more,
});

const row = (place: number, more: Partial<MessageRow> = {}): MessageRow => ({
  inbound: false,
  place,
  exchange: undefined,
  received: false,
  body: JSON.stringify(`body ${place} \u0000 ü "\\`),
  ...more,
});

const batch = (position: number, changes: readonly SessionChange[], more: Partial<SessionBatch> = {}): SessionBatch => ({
  owner: "a",
  position,
  changes,
  ends: [],
  ...more,
});

describe.each(backends)("$name", ({ open }) => {
  test("gives what was written, messages in order, at the position of the session or of its owner", async () => {
    const store = await open();
    const set = [row(2, { exchange: 7, received: true }), row(1), row(10), row(3, { inbound: true })];
    await store.write(batch(20, [change("s", 10, { isNew: true, filters: '[["t",1,false,false]]', set })]));
    await store.write(batch(30, [change("other", 30, { isNew: true })]));
    const [found] = await store.claim(["s", "unknown"], 40);
    expect(found).toEqual({ id: "s", position: 30, filters: '[["t",1,false,false]]', messages: [set[1], set[0], set[2], set[3]] });
    // The session has no owner now: writes of its last owner are ignored.
    await store.write(batch(50, []));
    expect((await store.claim(["s"], 41))[0]?.position).toBe(30);
  });

  test("lists what is stored for an owner and its workers, until somebody else has it", async () => {
    const store = await open();
    const changes = ["a", "a.1", "a.2", "ab"].map((owner, n) => change(`s${n}`, n + 1, { owner, isNew: true }));
    for (const one of changes) await store.write(batch(9, [one], { owner: one.owner }));
    const ids = async (): Promise<string[]> => (await store.left("a")).map(({ id, epoch }) => `${id} ${epoch}`).toSorted();
    expect(await ids()).toEqual(["s0 1", "s1 2", "s2 3"]);
    await store.claim(["s1"], 20);
    await store.write(batch(9, [], { ends: [{ id: "s0", epoch: 1 }] }));
    expect(await ids()).toEqual(["s2 3"]);
  });

  test("changes and removes messages, and keeps filters that are not written", async () => {
    const store = await open();
    await store.write(batch(1, [change("s", 1, { isNew: true, filters: "[1]", set: [row(1), row(2), row(1, { inbound: true })] })]));
    const next = {
      set: [row(2, { exchange: 5 })],
      removed: [
        { inbound: false, place: 1 },
        { inbound: true, place: 9 },
      ],
    };
    for (let twice = 0; twice < 2; twice++) await store.write(batch(2, [change("s", 1, next)]));
    const [found] = await store.claim(["s"], 2);
    expect(found?.filters).toBe("[1]");
    expect(found?.messages).toEqual([row(2, { exchange: 5 }), row(1, { inbound: true })]);
  });

  test("refuses a writer whose session has a newer epoch, and nobody else in the same batch", async () => {
    const store = await open();
    await store.write(batch(1, [change("s", 1, { isNew: true, set: [row(1)] }), change("t", 1, { isNew: true })]));
    await store.claim(["s"], 5);
    const late = { filters: "[2]", set: [row(2)], removed: [{ inbound: false, place: 1 }] };
    await store.write(batch(6, [change("s", 1, late), change("t", 1, late)], { ends: [{ id: "s", epoch: 1 }] }));
    await store.write(batch(7, [change("s", 1, { isNew: true, filters: "[3]" })]));
    const rows = await store.claim(["s", "t"], 8);
    expect(rows.find(({ id }) => id === "s")).toMatchObject({ filters: "[]", messages: [row(1)] });
    expect(rows.find(({ id }) => id === "t")).toMatchObject({ filters: "[2]", messages: [row(2)] });
    // A claim that comes too late gets nothing.
    expect(await store.claim(["s"], 7)).toEqual([]);
  });

  test("forgets a session that begins anew, one that is over, and an owner that nobody needs", async () => {
    const store = await open();
    await store.write(batch(1, [change("s", 1, { isNew: true, filters: "[1]", set: [row(1)] })]));
    await store.write(batch(2, [change("s", 2, { isNew: true, filters: "[]", set: [row(4)] })]));
    await store.forget("a");
    expect(await store.claim(["s"], 3)).toEqual([{ id: "s", position: 2, filters: "[]", messages: [row(4)] }]);
    await store.forget("a");
    await store.write(batch(4, [], { ends: [{ id: "s", epoch: 3 }], owner: "b" }));
    expect(await store.claim(["s"], 5)).toEqual([]);
  });
});
