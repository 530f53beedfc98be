import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Broker } from "#runtime/triggers/mqtt/broker.ts";
import { TopicCensus } from "#runtime/triggers/mqtt/census.ts";
import { limits } from "#runtime/triggers/mqtt/limits.ts";
import { messageOf, sizeOf } from "#runtime/triggers/mqtt/message.ts";
import { sparingly } from "#runtime/triggers/mqtt/notes.ts";
import { RunsInOrder } from "#runtime/triggers/mqtt/runs-in-order.ts";
import { connected, message, now, subscribe } from "./mqtt-links.ts";

// The bounds of the broker, and what depends on time (spec/surfaces 3 and 4).

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("properties count among the bytes of a message", () => {
  const sized = (properties: object): number =>
    sizeOf(messageOf({ topic: "a", payload: Buffer.from("x"), qos: 1, retain: false, properties }, now()));
  const bare = sized({});
  expect(sized({ correlationData: Buffer.alloc(100_000) }) - bare).toBe(100_000);
  expect(sized({ contentType: "x".repeat(500), responseTopic: "y".repeat(400) }) - bare).toBe(900);
  const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`k${n}`, ["v", "w"]]));
  expect(sized({ userProperties: many }) - bare).toBeGreaterThan(2_000 * 64);
});

test("a message keeps nothing of the chunk in which it arrived, nor of the pool of small buffers", () => {
  const chunk = Buffer.alloc(200_000, "x");
  const packet = { topic: "a", payload: chunk.subarray(0, 9), properties: { correlationData: chunk.subarray(9, 10) } };
  const { payload, properties } = messageOf({ ...packet, qos: 1, retain: false }, now());
  expect([payload, properties?.correlationData].map((bytes) => [String(bytes), bytes?.buffer.byteLength])).toEqual([
    ["xxxxxxxxx", 9],
    ["x", 1],
  ]);
});

describe("retained messages", () => {
  test("are as many as there may be; one more is an ordinary message", () => {
    const broker = new Broker(now);
    for (let i = 0; i < limits.retained; i++) broker.send(message(`r/${i}`, "x", { retain: true }));
    expect(broker.send(message("r/more", "x", { retain: true }))).toBe("nobody");
    broker.send(message("r/0", "new", { retain: true }));
    const { session, link } = connected(broker, "one", 2_000);
    subscribe(broker, session, "r/#");
    expect([link.got.length, link.got.includes("r/0 new"), link.got.includes("r/more x")]).toEqual([limits.retained, true, false]);
    broker.send(message("r/0", "", { retain: true }));
    broker.send(message("r/more", "x", { retain: true }));
    const { session: later, link: there } = connected(broker, "two", 2_000);
    subscribe(broker, later, "r/more");
    expect(there.got).toEqual(["r/more x"]);
  });

  test("make room when their time is over", () => {
    const broker = new Broker(now);
    for (let i = 0; i < limits.retained; i++) broker.send(message(`r/${i}`, "x", { retain: true, expiresAt: now() + 1_000 }));
    vi.advanceTimersByTime(1_001);
    broker.send(message("r/more", "x", { retain: true }));
    const { session, link } = connected(broker, "one");
    subscribe(broker, session, "r/#");
    expect(link.got).toEqual(["r/more x"]);
  });
});

test("topics are counted, and forgotten when nobody has published to them for long", () => {
  const census = new TopicCensus(now);
  for (let i = 0; i < limits.topics; i++) census.admits(`topic ${i} of so many that have a long name`);
  expect([census.admits("new"), census.admits("topic 0 of so many that have a long name")]).toEqual([false, true]);
  vi.advanceTimersByTime(limits.topicsForgottenMs);
  expect([census.admits("topic 0 of so many that have a long name"), census.admits("new")]).toEqual([true, false]);
  vi.advanceTimersByTime(limits.topicsForgottenMs);
  expect(census.admits("new")).toBe(true);
});

describe("runs of a client", () => {
  test("follow each other, a thousand may wait, and a thousand a second begin", () => {
    const order = new RunsInOrder(now);
    const done: number[] = [];
    const ends: (() => void)[] = [];
    const add = (i: number): boolean =>
      order.add((end) => {
        ends.push(() => {
          done.push(i);
          end();
        });
      });
    const taken = Array.from({ length: 1_200 }, (_, i) => add(i)).filter(Boolean).length;
    expect(taken).toBe(1_000);
    expect(ends).toHaveLength(1);
    for (let i = 0; i < 3; i++) ends[i]?.();
    expect(done).toEqual([0, 1, 2]);
    vi.advanceTimersByTime(1);
    expect([add(2_000), add(2_001)]).toEqual([true, false]);
  });

  test("wait for the one before them", () => {
    const order = new RunsInOrder(now);
    for (let i = 0; i < 999; i++) order.add(() => undefined);
    vi.advanceTimersByTime(1_000);
    // One is under way, a thousand wait.
    const more = Array.from({ length: 5 }, () => order.add((done) => done()));
    expect(more).toEqual([true, true, false, false, false]);
  });

  test("that are over at once follow the one before them at once, each when it is its turn", () => {
    const order = new RunsInOrder(now);
    const ended: number[] = [];
    let endFirst = (): void => undefined;
    order.add((end) => {
      endFirst = end;
    });
    for (let i = 0; i < 999; i++)
      order.add((end) => {
        ended.push(i);
        end();
      });
    expect(ended).toEqual([]);
    endFirst();
    expect(ended).toEqual(Array.from({ length: 999 }, (_, i) => i));
  });
});

test("the log is told of what clients do, but not of all of it", () => {
  const records: unknown[] = [];
  const note = sparingly({ log: (_, msg, fields = {}) => void records.push([msg, fields]), monotonic: now });
  for (let i = 0; i < 15; i++) note("gone", { i });
  vi.advanceTimersByTime(9_999);
  note("gone", { i: 15 });
  expect(records).toEqual(Array.from({ length: 10 }, (_, i) => ["gone", { i }]));
  vi.advanceTimersByTime(1);
  note("gone", { i: 16 });
  note("gone", { i: 17 });
  expect(records.slice(10)).toEqual([
    ["gone", { i: 16, omitted: 6 }],
    ["gone", { i: 17 }],
  ]);
});
