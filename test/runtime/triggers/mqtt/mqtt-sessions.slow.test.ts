import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Broker } from "#runtime/triggers/mqtt/broker.ts";
import { limits } from "#runtime/triggers/mqtt/limits.ts";
import { client, connected, message, now, subscribe } from "./mqtt-links.ts";

// Sessions of the broker and their wills: what bounds them, and when they end (spec/surfaces 4).

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("a session", () => {
  test("is kept for its time and no longer", () => {
    const broker = new Broker(now);
    const { session } = connected(broker, "one");
    subscribe(broker, session, "a");
    broker.leave(session, 10_000);
    vi.advanceTimersByTime(9_999);
    expect(broker.open({ key: "one", keeps: true }).isPresent).toBe(true);
    broker.leave(session, 10_000);
    vi.advanceTimersByTime(10_000);
    expect(broker.open({ key: "one", keeps: true }).isPresent).toBe(false);
    expect(broker.send(message("a"))).toBe("nobody");
  });

  test("is kept for a day at most, even one that is to be kept for ever", () => {
    const broker = new Broker(now);
    const { session } = connected(broker, "one");
    broker.leave(session, 0xffff_ffff * 1000);
    vi.advanceTimersByTime(86_400_000);
    expect(broker.open({ key: "one", keeps: true }).isPresent).toBe(false);
  });

  test("keeps so many messages for an absent client: the oldest are dropped", () => {
    const broker = new Broker(now);
    const { session } = connected(broker, "one");
    subscribe(broker, session, "a");
    broker.leave(session, 10_000);
    for (let i = 0; i < limits.queue + 2; i++) broker.send(message("a", `${i}`));
    expect(broker.dropped).toBe(2);
    const { link } = connected(broker, "one", 3);
    expect(link.got).toEqual(["a 2", "a 3", "a 4"]);
  });

  test("keeps so many bytes, and all sessions together so many more", () => {
    const broker = new Broker(now);
    const large = "x".repeat(250_000);
    const count = Math.ceil(limits.allQueuesBytes / limits.queueBytes) + 3;
    for (let i = 0; i < count; i++) {
      const { session } = connected(broker, `s${i}`);
      subscribe(broker, session, "a");
      broker.leave(session, 10_000);
    }
    for (let i = 0; i < 100; i++) broker.send(message("a", large));
    const kept = Array.from({ length: count }, (_, i) => connected(broker, `s${i}`, 1_000).link.got.length);
    expect(Math.max(...kept)).toBeLessThanOrEqual(limits.queueBytes / 250_000);
    expect(kept.reduce((sum, one) => sum + one, 0) * 250_000).toBeLessThanOrEqual(limits.allQueuesBytes);
    expect(Math.min(...kept)).toBeGreaterThan(0);
  });

  test("counts what its client has not acknowledged or not released among the bytes of all, until it has", () => {
    const broker = new Broker(now);
    const large = "x".repeat(250_000);
    const count = Math.ceil(limits.allQueuesBytes / limits.queueBytes) + 3;
    const sessions = Array.from({ length: count }, (_, i) => connected(broker, `s${i}`, 1_000));
    const held = sessions.map(({ session }) => {
      let id = 0;
      while (session.hold(id + 1, message("a", large, { qos: 2 }))) id += 1;
      return id;
    });
    expect(Math.max(...held)).toBe(Math.floor(limits.queueBytes / 250_200));
    expect(held.reduce((sum, one) => sum + one, 0)).toBe(Math.floor(limits.allQueuesBytes / 250_201));
    const [{ session, link } = connected(broker, "none")] = sessions;
    subscribe(broker, session, "b");
    broker.send(message("b", large));
    expect([link.got.length, broker.dropped]).toEqual([0, 1]);
    expect(session.release(1)?.topic).toBe("a");
    broker.send(message("b", large));
    broker.send(message("b", large));
    expect([link.got.length, broker.dropped]).toEqual([1, 2]);
    session.acknowledged("puback", 1);
    broker.send(message("b", large));
    expect([link.got.length, broker.dropped]).toEqual([2, 2]);
    for (const each of sessions) broker.leave(each.session, 0);
    const other = connected(broker, "other");
    expect(other.session.hold(1, message("a", large, { qos: 2 }))).toBe(true);
  });

  test("gives as many messages as the client takes, and never a number that is in use", () => {
    const broker = new Broker(now);
    const { session, link } = connected(broker, "one", 2);
    subscribe(broker, session, "a");
    for (let i = 0; i < 5; i++) broker.send(message("a", `${i}`));
    expect(link.ids).toEqual([1, 2]);
    session.acknowledged("puback", 2);
    session.acknowledged("puback", 99);
    session.acknowledged("pubcomp", 1);
    expect(link.ids).toEqual([1, 2, 3]);
    for (let i = 0; i < 70_000; i++) {
      broker.send(message("a", "more"));
      session.acknowledged("puback", link.ids.at(-1) ?? 0);
    }
    expect(link.ids.slice(1).includes(1)).toBe(false);
    expect(Math.max(...link.ids.slice(-1000))).toBeLessThanOrEqual(65_535);
  });

  test("sends again no more than its client takes now, in order and before what is new", () => {
    const broker = new Broker(now);
    const { session } = connected(broker, "one", 5);
    subscribe(broker, session, "a");
    for (let i = 0; i < 5; i++) broker.send(message("a", `${i}`));
    broker.leave(session, 10_000);
    broker.send(message("a", "new"));
    const { link } = connected(broker, "one", 2);
    expect(link.ids).toEqual([1, 2]);
    // The client had received a message that is not sent again yet.
    session.acknowledged("puback", 4);
    expect(link.ids).toEqual([1, 2]);
    session.acknowledged("puback", 1);
    expect(link.ids).toEqual([1, 2, 3]);
    link.isFull = true;
    session.acknowledged("puback", 2);
    expect(link.ids).toEqual([1, 2, 3]);
    link.isFull = false;
    session.pump();
    session.acknowledged("puback", 3);
    expect([link.ids, link.got.at(-1)]).toEqual([[1, 2, 3, 5, 6], "a new"]);
  });

  test("of a client that does not read gets nothing more; QoS 1 waits, QoS 0 is lost", () => {
    const broker = new Broker(now);
    const { session, link } = connected(broker, "one");
    subscribe(broker, session, "a");
    link.isFull = true;
    broker.send(message("a", "lost", { qos: 0 }));
    broker.send(message("a", "kept"));
    expect([link.got, broker.dropped]).toEqual([[], 1]);
    link.isFull = false;
    session.pump();
    expect(link.got).toEqual(["a kept"]);
  });

  test("of the client that was away longest ends when there are too many", () => {
    const broker = new Broker(now);
    for (let i = 0; i <= limits.absentSessions; i++) broker.leave(connected(broker, `s${i}`).session, 10_000);
    expect([0, 1, 2].map((i) => broker.open({ key: `s${i}`, keeps: true }).isPresent)).toEqual([false, true, true]);
  });

  test("that somebody else opens is taken over", () => {
    const broker = new Broker(now);
    const { session } = broker.open({ key: "one", keeps: true });
    const takeOver = vi.fn(() => broker.leave(session, 10_000));
    session.attach({ ...client(), takeOver });
    expect(broker.open({ key: "one", keeps: true }).isPresent).toBe(true);
    expect(takeOver).toHaveBeenCalledOnce();
  });
});

describe("a will", () => {
  test("is published with the end of the session, if that comes before its time", () => {
    const broker = new Broker(now);
    const publish = vi.fn();
    broker.leave(connected(broker, "one").session, 5_000, { delayMs: 60_000, bytes: 1, publish });
    vi.advanceTimersByTime(4_999);
    expect(publish).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(publish).toHaveBeenCalledOnce();
    vi.advanceTimersByTime(60_000);
    expect(publish).toHaveBeenCalledOnce();
  });

  test("is published at once by a session that is not kept, or is begun anew", () => {
    const broker = new Broker(now);
    const [first, second] = [vi.fn(), vi.fn()];
    broker.leave(connected(broker, "one").session, 0, { delayMs: 60_000, bytes: 1, publish: first });
    expect(first).toHaveBeenCalledOnce();
    broker.leave(connected(broker, "two").session, 60_000, { delayMs: 60_000, bytes: 1, publish: second });
    broker.open({ key: "two", keeps: false });
    expect(second).toHaveBeenCalledOnce();
  });
});

describe("wills that wait", () => {
  test("count among the bytes of all; where there is no room one is published at once", () => {
    const broker = new Broker(now);
    const published: number[] = [];
    const bytes = limits.allQueuesBytes / 2;
    const leave = (i: number): void =>
      broker.leave(connected(broker, `s${i}`).session, 60_000, { delayMs: 30_000, bytes, publish: () => published.push(i) });
    for (const i of [1, 2, 3]) leave(i);
    expect(published).toEqual([3]);
    // A client that comes back gives room again, and so does a published will.
    broker.open({ key: "s1", keeps: true });
    leave(4);
    expect(published).toEqual([3]);
    vi.advanceTimersByTime(30_000);
    expect(published).toEqual([3, 2, 4]);
    leave(5);
    leave(6);
    leave(7);
    expect(published).toEqual([3, 2, 4, 7]);
  });
});
