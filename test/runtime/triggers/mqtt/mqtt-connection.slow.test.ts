import { randomUUID } from "node:crypto";
import { Duplex } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { generate, type Packet, parser } from "mqtt-packet";
import { afterEach, beforeEach, describe, expect, type Mock, test, vi } from "vitest";
import { Broker } from "#runtime/triggers/mqtt/broker.ts";
import { Connection, type Service } from "#runtime/triggers/mqtt/connection.ts";
import { limits } from "#runtime/triggers/mqtt/limits.ts";
import type { Caller, Rules } from "#runtime/triggers/mqtt/rules.ts";
import { until } from "../../../harness/until.ts";

// How long the broker waits for a client, by a clock that the test moves (spec/surfaces 3 and 4).

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const now = (): number => performance.now();

const key: Caller = { kind: "key", scope: "key" };

function serviceOf(rules: Partial<Rules> = {}): Service & { readonly broker: Broker; readonly left: Mock<Service["left"]> } {
  const all: Rules = {
    admit: () => key,
    mayPublish: () => "deliver",
    maySubscribe: () => true,
    isDurable: () => false,
    accepted: () => undefined,
    note: () => undefined,
    bug: () => undefined,
    uuid: randomUUID,
    now,
    ...rules,
  };
  return { broker: new Broker(now), rules: all, isFull: () => false, entered: () => undefined, left: vi.fn<Service["left"]>() };
}

/** The other end of a connection; while it does not `read`, what is written to it waits. */
class Peer extends Duplex {
  readonly got: Packet[] = [];
  reads = true;
  readonly #parser = parser({ protocolVersion: 5 });
  #held: (() => void)[] = [];

  constructor(service: Service) {
    super({ writableHighWaterMark: 16_384 });
    this.#parser.on("packet", (packet) => void this.got.push(packet));
    new Connection(this, { headers: {}, peer: "203.0.113.1", credential: { hasKey: false }, params: {} }, service);
  }

  override _read(): void {
    // The messages of the client are pushed.
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.#parser.parse(chunk);
    if (this.reads) done();
    else this.#held.push(done);
  }

  readsAgain(): void {
    this.reads = true;
    for (const done of this.#held.splice(0)) done();
  }

  async say(...packets: readonly Packet[]): Promise<void> {
    this.push(Buffer.concat(packets.map((packet) => generate(packet, { protocolVersion: 5 }))));
    await vi.advanceTimersByTimeAsync(0);
  }
}

const hello = (clientId: string, keepalive = 0): Packet => ({
  cmd: "connect",
  protocolVersion: 5,
  protocolId: "MQTT",
  clean: true,
  clientId,
  keepalive,
});

const subscribe = (topic: string, messageId = 1): Packet => ({ cmd: "subscribe", messageId, subscriptions: [{ topic, qos: 0 }] });

const publish = (topic: string, payload = "x"): Packet => ({ cmd: "publish", topic, payload, qos: 0, dup: false, retain: false });

describe("a client", () => {
  test("has ten seconds to say who it is", async () => {
    const service = serviceOf();
    const peer = new Peer(service);
    peer.push(generate(hello("slow"), { protocolVersion: 5 }).subarray(0, 5));
    await vi.advanceTimersByTimeAsync(9_999);
    expect(service.left).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(service.left).toHaveBeenCalledOnce();
    await vi.advanceTimersByTimeAsync(1_000);
    expect([peer.destroyed, peer.got]).toEqual([true, []]);
  });

  test("of version 5 that asks for no keep-alive has one of 300 seconds", async () => {
    const service = serviceOf();
    const peer = new Peer(service);
    await peer.say(hello("quiet"));
    await vi.advanceTimersByTimeAsync(449_999);
    await peer.say({ cmd: "pingreq" });
    await vi.advanceTimersByTimeAsync(449_999);
    expect(service.left).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(peer.got.at(-1)).toMatchObject({ cmd: "disconnect", reasonCode: 0x8d });
  });

  test("that sends very many small packets at once is read in a moment", async () => {
    const peer = new Peer(serviceOf());
    await peer.say(hello("chatty"));
    const began = process.cpuUsage();
    peer.push(Buffer.alloc(limits.packet, Buffer.from([0xc0, 0])));
    // Others have their turns meanwhile, which the virtual clock does not move.
    while (peer.got.length <= limits.packet / 2) await setImmediate();
    expect(peer.got.filter(({ cmd }) => cmd === "pingresp")).toHaveLength(limits.packet / 2);
    // Microseconds; a list that is shifted packet by packet takes ten times as long.
    expect(process.cpuUsage(began).user).toBeLessThan(3_000_000);
  });

  test("that waits for us is not taken for silent; what it has sent meanwhile is read in its order", async () => {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const service = serviceOf({ maySubscribe: () => promise });
    const peer = new Peer(service);
    await peer.say(hello("patient", 1), subscribe("a"), publish("a", "early"), { cmd: "pingreq" });
    await vi.advanceTimersByTimeAsync(4_000);
    expect(peer.got.map(({ cmd }) => cmd)).toEqual(["connack"]);
    resolve(true);
    await vi.advanceTimersByTimeAsync(0);
    expect(peer.got.map(({ cmd }) => cmd)).toEqual(["connack", "suback", "publish", "pingresp"]);
    await vi.advanceTimersByTimeAsync(1_500);
    expect(service.left).toHaveBeenCalledOnce();
  });

  test("that subscribes to more than it may have is asked about no more than that", async () => {
    const maySubscribe = vi.fn<Rules["maySubscribe"]>(async () => true);
    const service = serviceOf({ maySubscribe });
    const peer = new Peer(service);
    await peer.say(hello("greedy"));
    const topics = Array.from({ length: limits.subscriptions + 20 }, (_, i) => ({ topic: `t/${i}`, qos: 0 as const }));
    await peer.say({ cmd: "subscribe", messageId: 1, subscriptions: topics });
    await until(() => expect(peer.got.at(-1)?.cmd).toBe("suback"));
    expect(peer.got.at(-1)).toMatchObject({ granted: topics.map((_, i) => (i < limits.subscriptions ? 0 : 0x97)) });
    expect(maySubscribe).toHaveBeenCalledTimes(limits.subscriptions);
  });

  test("that has gone before an authorizer has decided gets no subscription", async () => {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const service = serviceOf({ maySubscribe: () => promise });
    const peer = new Peer(service);
    await peer.say(hello("gone"), subscribe("a"));
    peer.destroy();
    await vi.advanceTimersByTimeAsync(0);
    resolve(true);
    await vi.advanceTimersByTimeAsync(0);
    expect(service.broker.send({ topic: "a", payload: Buffer.from("x"), qos: 0, retain: false })).toBe("nobody");
  });

  test("that does not read is not written to any more, and cut off after half a minute; others are served", async () => {
    const service = serviceOf();
    const [stuck, fine] = [new Peer(service), new Peer(service)];
    await stuck.say(hello("stuck", 1_000), subscribe("a"));
    await fine.say(hello("fine", 1_000), subscribe("a"));
    stuck.reads = false;
    const large = "x".repeat(200_000);
    for (let i = 0; i < 20; i++) service.broker.send({ topic: "a", payload: Buffer.from(large), qos: 0, retain: false });
    await vi.advanceTimersByTimeAsync(0);
    expect(stuck.writableLength).toBeLessThan(limits.buffer + 300_000);
    expect(fine.got.filter(({ cmd }) => cmd === "publish")).toHaveLength(20);
    expect(service.broker.dropped).toBeGreaterThan(10);
    await vi.advanceTimersByTimeAsync(29_999);
    expect(stuck.destroyed).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect([stuck.destroyed, fine.destroyed]).toEqual([true, false]);
  });

  test("that reads again is written to again", async () => {
    const service = serviceOf();
    const peer = new Peer(service);
    await peer.say(hello("slow", 1_000), { cmd: "subscribe", messageId: 1, subscriptions: [{ topic: "a", qos: 1 }] });
    peer.reads = false;
    for (let i = 0; i < 20; i++) service.broker.send({ topic: "a", payload: Buffer.from("x".repeat(200_000)), qos: 1, retain: false });
    await vi.advanceTimersByTimeAsync(10_000);
    peer.readsAgain();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(peer.got.filter(({ cmd }) => cmd === "publish")).toHaveLength(20);
    expect([peer.destroyed, service.broker.dropped]).toEqual([false, 0]);
  });

  test("that asks and does not read is not read from, so that answers do not pile up", async () => {
    const peer = new Peer(serviceOf());
    await peer.say(hello("greedy", 1_000));
    peer.reads = false;
    const filters = Array.from({ length: 1_000 }, () => ({ topic: "a", qos: 0 as const }));
    const asked = Array.from({ length: 1_200 }, (_, i): Packet => ({ cmd: "subscribe", messageId: i + 1, subscriptions: filters }));
    await peer.say(...asked);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(peer.writableLength).toBeLessThan(limits.buffer + 2_000);
    peer.readsAgain();
    await vi.advanceTimersByTimeAsync(0);
    expect(peer.got.filter(({ cmd }) => cmd === "suback")).toHaveLength(1_200);
    expect(peer.destroyed).toBe(false);
  });

  test("is cut off when its token ends", async () => {
    const peer = new Peer(serviceOf({ admit: () => ({ ...key, until: now() + 5_000 }) }));
    await peer.say(hello("user"));
    await vi.advanceTimersByTimeAsync(4_999);
    expect(peer.got).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(peer.got.at(-1)).toMatchObject({ cmd: "disconnect", reasonCode: 0x87 });
  });

  test("stays for as long as its token holds, also beyond the longest wait of a timer", async () => {
    const days = 30 * 86_400_000;
    const peer = new Peer(serviceOf({ admit: () => ({ ...key, until: now() + days }) }));
    await peer.say({ ...hello("user"), keepalive: 65_535 } as Packet);
    for (let asleep = 0; asleep < days - 60_000_000; asleep += 60_000_000) {
      await vi.advanceTimersByTimeAsync(60_000_000);
      await peer.say({ cmd: "pingreq" });
    }
    expect(peer.got.some(({ cmd }) => cmd === "disconnect")).toBe(false);
    await vi.advanceTimersByTimeAsync(60_000_000);
    expect(peer.got.at(-1)).toMatchObject({ cmd: "disconnect", reasonCode: 0x87 });
  });

  test.each([
    [0x00, []],
    [0x04, ["gone"]],
    [0x80, ["gone"]],
    [0x97, ["gone"]],
  ])("that goes with the reason %i leaves the wills %j [MQTT-3.14.4-3]", async (reasonCode, wills) => {
    const service = serviceOf();
    const [watching, going] = [new Peer(service), new Peer(service)];
    await watching.say(hello("watching"), subscribe("left"));
    await going.say({ ...hello("going"), will: { topic: "left", payload: "gone", qos: 0, retain: false } } as Packet);
    await going.say({ cmd: "disconnect", reasonCode });
    expect(watching.got.flatMap((packet) => (packet.cmd === "publish" ? [String(packet.payload)] : []))).toEqual(wills);
  });
});

test("a mistake of ours ends the connection, not the process", async () => {
  const bugs: unknown[] = [];
  const service = serviceOf({
    mayPublish: () => {
      throw new TypeError("ours");
    },
    bug: (error) => void bugs.push(error),
  });
  const peer = new Peer(service);
  await peer.say(hello("unlucky"), publish("a"));
  expect(peer.got.at(-1)).toMatchObject({ cmd: "disconnect", reasonCode: 0x80 });
  expect([bugs, service.left.mock.calls.length]).toEqual([[new TypeError("ours")], 1]);
});
