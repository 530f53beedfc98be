import { expect, test } from "vitest";
import { Broker } from "#runtime/triggers/mqtt/broker.ts";
import type { Link } from "#runtime/triggers/mqtt/link.ts";
import { type Message, publishOf } from "#runtime/triggers/mqtt/message.ts";
import { encode } from "#runtime/triggers/mqtt/packets.ts";
import { frameOf } from "#runtime/triggers/mqtt/same-frames.ts";
import type { Subscription } from "#runtime/triggers/mqtt/subscriptions.ts";
import { parseFilter } from "#runtime/triggers/mqtt/topics.ts";

// A message to many subscribers that do not read waits in the memory of the process once, not once for each.

/** A subscriber, with the bytes that it gets and the bytes that it would get if it were alone. */
function subscriber(broker: Broker, key: string, isNew: boolean, subscription: Partial<Subscription> = {}) {
  const [got, alone]: [Buffer[], Buffer[]] = [[], []];
  const link: Link = {
    window: 10,
    isFull: false,
    publish: (delivery, id, isAgain) => {
      const sending = { id, isAgain, now: 0, isNew };
      got.push(frameOf(delivery, sending));
      alone.push(encode(publishOf(delivery, sending), isNew ? 5 : 4));
      return true;
    },
    acknowledge: () => undefined,
    takeOver: () => undefined,
  };
  const { session } = broker.open({ key, keeps: false });
  session.attach(link);
  const filter = parseFilter("a/+");
  if (filter !== undefined) broker.subscribe(session, filter, { qos: 0, noLocal: false, retainAsPublished: false, ...subscription });
  return { got, alone };
}

const message = (more: Partial<Message> = {}): Message => ({
  topic: "a/b",
  payload: Buffer.from("content"),
  qos: 1,
  retain: false,
  properties: { contentType: "text/plain" },
  ...more,
});

test("subscribers of the same version share the bytes of a message", () => {
  const broker = new Broker(() => 0);
  const [old, alsoOld] = [subscriber(broker, "1", false), subscriber(broker, "2", false)];
  const [current, alsoCurrent] = [subscriber(broker, "3", true), subscriber(broker, "4", true)];
  broker.send(message());
  expect(old.got[0]).toBe(alsoOld.got[0]);
  expect(current.got[0]).toBe(alsoCurrent.got[0]);
  for (const { got, alone } of [old, current]) expect(got).toEqual(alone);
  broker.send(message({ payload: Buffer.from("other") }));
  for (const { got, alone } of [old, alsoOld, current, alsoCurrent]) expect(got).toEqual(alone);
});

test("subscribers with bytes of their own get these", () => {
  const broker = new Broker(() => 0);
  const all = [
    ...[false, true].map((isNew, i) => subscriber(broker, `plain ${i}`, isNew)),
    ...[false, true].map((isNew, i) => subscriber(broker, `acknowledges ${i}`, isNew, { qos: 1 })),
    ...[1, 2].map((identifier) => subscriber(broker, `identifier ${identifier}`, true, { identifier })),
    subscriber(broker, "as published", true, { retainAsPublished: true }),
  ];
  for (const more of [{}, { retain: true }, { expiresAt: 5_000 }, { qos: 0 as const }]) broker.send(message(more));
  for (const { got, alone } of all) {
    expect(got).toHaveLength(4);
    expect(got).toEqual(alone);
  }
});
