import { expect, test } from "vitest";
import { mostBranches } from "#runtime/realtime/branches.ts";
import { Channels } from "#runtime/realtime/channels.ts";
import { Broker } from "#runtime/triggers/mqtt/broker.ts";
import type { Session } from "#runtime/triggers/mqtt/session.ts";
import { parseFilter } from "#runtime/triggers/mqtt/topics.ts";

// A pattern of many levels is a short message of a client, and needs hundreds of times its bytes in a tree of patterns.

const qos0 = { qos: 0, noLocal: false, retainAsPublished: false } as const;

const clientOf = (broker: Broker, key: string): Session => broker.open({ key, keeps: false }).session;

function asks(broker: Broker, session: Session, text: string): boolean {
  const filter = parseFilter(text);
  return filter !== undefined && broker.subscribe(session, filter, qos0);
}

const deep = (name: string, levels: number): string => `+/${name}${"/".repeat(levels - 2)}`;

/** The number of times that a client gets its next pattern, at most 1,000 as documented. */
function count(next: (i: number) => boolean): number {
  let i = 0;
  while (i < 1_000 && next(i)) i += 1;
  return i;
}

test("deep filters of MQTT are bounded for a client", () => {
  const broker = new Broker(() => 0);
  const first = clientOf(broker, "first");
  expect(count((i) => asks(broker, first, deep(`a${i}`, 128)))).toBe(mostBranches.client / 128);
});

test("the bound of all clients of MQTT holds, and ended sessions make room", () => {
  const broker = new Broker(() => 0);
  const clients = Array.from({ length: 80 }, (_, i) => clientOf(broker, `${i}`));
  const granted = clients.map((session, c) => count((i) => asks(broker, session, deep(`${c}-${i}`, 128))));
  expect(granted.reduce((sum, one) => sum + one, 0)).toBe(mostBranches.all / 128);
  expect(asks(broker, clientOf(broker, "late"), "a/b")).toBe(false);
  clientOf(broker, "0");
  expect(asks(broker, clientOf(broker, "late"), "a/b")).toBe(true);
});

test("long filters of MQTT count by their text", () => {
  const broker = new Broker(() => 0);
  const session = clientOf(broker, "one");
  expect(count((i) => asks(broker, session, `${String(i).padStart(4, "0")}${"x".repeat(4_092)}`))).toBe(
    Math.floor(mostBranches.client / 17),
  );
});

test("ordinary filters of MQTT have the documented number", () => {
  const broker = new Broker(() => 0);
  const session = clientOf(broker, "one");
  expect(count((i) => asks(broker, session, `production/telemetry/rooms/${i}/+/state`))).toBe(1_000);
});

test("a removed filter of MQTT leaves nothing, and others stay", () => {
  const broker = new Broker(() => 0);
  const session = clientOf(broker, "one");
  for (let round = 0; round < 3; round++) {
    expect(count((i) => asks(broker, session, deep(`a${i}`, 128)))).toBe(mostBranches.client / 128);
    for (const text of [...session.filters.keys()]) broker.unsubscribe(session, text);
  }
});

const pattern = (name: string, levels: number): string => `+:${name}${":".repeat(levels - 2)}`;

test("deep patterns of channels are bounded for a listener and for all together", () => {
  const channels = new Channels();
  const listeners = Array.from({ length: 80 }, () => ({ push: () => undefined }));
  const granted = listeners.map((one, c) => count((i) => channels.subscribe(one, pattern(`${c}-${i}`, 240)) === undefined));
  expect(granted[0]).toBe(Math.floor(mostBranches.client / 240));
  expect(granted.reduce((sum, one) => sum + one, 0)).toBe(Math.floor(mostBranches.all / 240));
  const [first = { push: () => undefined }] = listeners;
  const late = { push: () => undefined };
  expect(channels.subscribe(first, pattern("more", 240))).toBe("limit_subscriptions");
  expect(channels.subscribe(late, pattern("more", 240))).toBe("limit_topics");
  // Names without a wildcard are in no tree, and a pattern that is there needs no room.
  expect(channels.subscribe(late, `a${":".repeat(200)}`)).toBeUndefined();
  expect(channels.subscribe(late, pattern("0-0", 240))).toBeUndefined();
  channels.forget(first);
  expect(channels.subscribe(late, pattern("more", 240))).toBeUndefined();
});
