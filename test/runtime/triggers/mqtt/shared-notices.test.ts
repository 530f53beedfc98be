import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { limits } from "#runtime/triggers/mqtt/limits.ts";
import { decode, encode, type Notice } from "#runtime/triggers/mqtt/shared/notices.ts";
import { contentIn, filtersIn } from "#runtime/triggers/mqtt/shared/rows.ts";
import { draws } from "../../../harness/rules/words.ts";
import { ModelClient, publish, sharedPlace } from "./shared-nodes.ts";

// Notices and rows may be hostile, because the bus and the store are in a database. They are read as carefully as packets of clients.

const clock = { now: () => 1_000_000, monotonic: () => 5_000 };

const message = {
  topic: "a/b",
  payload: Buffer.from([0, 255, 10]),
  qos: 2,
  retain: true,
  properties: { contentType: "text/plain", userProperties: Object.assign(Object.create(null), { __proto__x: "1", a: ["1", "2"] }) },
  expiresAt: 9_000,
  publisher: "key\0client",
} as const;

const bare = { topic: "w", payload: Buffer.from("x"), qos: 1, retain: false, isWill: true } as const;

const notices: readonly Notice[] = [
  { t: "message", message: { ...message, release: 7 }, number: 3 },
  { t: "message", message: { ...bare }, will: "p 1" },
  { t: "message", message: { ...bare, isWill: false }, share: "$share/g/w" },
  { t: "message", message: { ...message }, isRetainedOnly: true },
  { t: "open", key: "k\0c", name: "p 1", keeps: true, keptMs: 5, will: { delayMs: 1, rights: "jwt", bare, expiryMs: 10 } },
  { t: "open", key: "k", name: "p 2", keeps: false, keptMs: 0 },
  { t: "open", key: "k", name: "p 3", keeps: true, keptMs: 5, texts: ["$share/g/a"] },
  {
    t: "left",
    key: "k",
    name: "p 2",
    keptMs: 5,
    epoch: 9,
    until: 10,
    will: { delayMs: 1, rights: "key", bare, expiryMs: undefined, due: 4 },
  },
  { t: "shares", key: "k", name: "p 2", isDurable: true, texts: ["$share/g/a"] },
  { t: "end", key: "k", name: "p 2" },
  { t: "given", key: "k", name: "p 2" },
];

test.each(notices.map((notice) => [notice.t, notice] as const))("a notice '%s' comes as it was told", (_, notice) => {
  const read = decode(encode(notice, clock), clock);
  expect(read).toMatchObject(JSON.parse(JSON.stringify(notice)) === undefined ? {} : { t: notice.t });
  expect(encode(read as Notice, clock)).toBe(encode(notice, clock));
});

test("processes of earlier versions read an empty share as: for nobody", () => {
  const body = encode({ t: "message", message: { ...message }, isRetainedOnly: true }, clock);
  expect(JSON.parse(body)).toMatchObject({ share: "" });
  expect(decode(body, clock)).toMatchObject({ isRetainedOnly: true });
  expect(decode(body, clock)).not.toHaveProperty("share");
});

describe("whatever is in the database", () => {
  const hostile = [
    "",
    "null",
    "[]",
    "{",
    `{"t":"message","topic":"a/#","payload":"","qos":0}`,
    `{"t":"message","topic":"a","payload":"","qos":3}`,
    `{"t":"message","topic":"a","payload":${JSON.stringify("A".repeat(2 * limits.packet))},"qos":0}`,
    `{"t":"open","key":${JSON.stringify("k".repeat(5_000))},"name":"n","keeps":true,"keptMs":1}`,
    `{"t":"open","key":"k","name":"n","keeps":true,"keptMs":-1}`,
    `{"t":"open","key":"k","name":"n","keeps":1,"keptMs":1}`,
    `{"t":"left","key":"k","name":"n","keptMs":1,"epoch":"x","until":1}`,
    `{"t":"shares","key":"k","name":"n","isDurable":true,"texts":"$share"}`,
    `{"t":"other","key":"k","name":"n"}`,
    `{"t":"message","topic":"a","payload":"","qos":0,"x":${"[".repeat(100_000)}${"]".repeat(100_000)}}`,
    " ".repeat(3_000_000),
  ];

  test.each(hostile.map((body) => [body.slice(0, 60), body] as const))("%s is no notice", (_, body) => {
    expect(decode(body, clock)).toBeUndefined();
  });

  test("reading it never throws", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.json(), fc.constantFrom(...notices.map((one) => encode(one, clock)))),
        fc.nat(),
        fc.string(),
        (text, at, more) => {
          const torn = text.slice(0, at % (text.length + 1)) + more + text.slice(at % (text.length + 1));
          decode(torn, clock);
          filtersIn({ filters: torn });
          contentIn({ messages: [{ inbound: false, place: 1, exchange: undefined, received: false, body: torn }] }, clock);
        },
      ),
      { numRuns: draws(20_000) },
    );
  });

  test("rows that are no messages and filters that are none are left out of a session", () => {
    const place = 1;
    const base = { inbound: false, exchange: undefined, received: false };
    const body = (more: object): string => JSON.stringify({ message: { topic: "a", payload: "", qos: 1 }, qos: 1, ...more });
    const rows = [
      { ...base, place, body: body({}) },
      { ...base, place: -1, body: body({}) },
      { ...base, place, body: body({ qos: 0 }) },
      { ...base, place, body: body({ message: { topic: "+", payload: "", qos: 1 } }) },
      { ...base, place, exchange: 0.5, body: body({}) },
    ];
    expect(contentIn({ messages: rows }, clock).items).toHaveLength(1);
    const filters = JSON.stringify([["a/#", 1, false, false], ["a/#/b", 1, false, false], ["b", 3, false, false], "c", [1]]);
    expect(filtersIn({ filters }).map(({ filter }) => filter.text)).toEqual(["a/#"]);
  });

  test("hostile notices on the bus change nothing, and the next message arrives", async () => {
    const place = sharedPlace();
    try {
      const [here, there] = [await place.node(), await place.node()];
      const client = new ModelClient("c");
      await client.connect(here);
      await client.subscribe("#", 1);
      for (const body of hostile) there.bus.publish({ kind: "mqtt", body });
      await publish(there, "t", "after");
      await expect.poll(() => client.got).toEqual(["t after"]);
    } finally {
      await place.close();
    }
  });
});
