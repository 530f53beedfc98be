import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { IClientOptions } from "mqtt";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { compiled } from "../../../harness/captured.ts";
import { until } from "../../../harness/until.ts";
import { forgedToken } from "../../keys/token-text.ts";
import { durable } from "./mqtt-processes.ts";
import { type Broker, brokerOf, type Client, endAll } from "./mqtt-serving.ts";

// A session whose subscriptions were granted by other rules: they are decided anew when its client comes back (spec/surfaces 4).

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pipewright-test-"));
});
afterEach(async () => {
  await endAll();
  rmSync(folder, { recursive: true, force: true });
});

const service = (isPublic: boolean, answer: string, slow = ""): string => `name: rooms
interfaces:
  board: { mqtt: news, public: ${isPublic}, actions: [{ name: A, input: a|body| }] }
  other: { mqtt: news, public: true, actions: [{ name: A, input: a|body| }] }
  guarded: { mqtt: news, subscribe_authorizer: decide, actions: [{ name: A, input: a|body| }] }
  decide:
    actions:
      ${slow}
      - { name: Check, input: a|body|, assert: { http_code_on_error: 403, tests: [{ value: op, is_equal_to: ${answer} }] } }
`;
const earlier = service(true, "subscribe");
const later = service(false, "nothing");

const clients: Readonly<Record<string, IClientOptions>> = {
  anonymous: { username: undefined, password: undefined, ...durable("a", 5) } as unknown as IClientOptions,
  user: { username: "u", password: forgedToken({ sub: "u" }), ...durable("u", 5) },
};
const filters: Readonly<Record<string, readonly string[]>> = {
  anonymous: ["production/board/#", "production/other/#"],
  user: ["production/guarded/#", "production/other/#"],
};
const topics = ["production/board/news", "production/guarded/x", "production/other/news"];

/** The service ends, or takes another configuration, and the next one has the sessions of the first. */
const ways: Readonly<Record<string, (config: string) => Promise<{ readonly first: Broker; readonly next: () => Promise<Broker> }>>> = {
  "after a restart": async (config) => {
    const start = (text: string): Promise<Broker> => brokerOf(text, { PIPEWRIGHT_DATABASE_URL: `sqlite:${join(folder, "state.db")}` });
    const first = await start(earlier);
    return {
      first,
      next: async () => {
        await first.served.close();
        return start(config);
      },
    };
  },
  "with another configuration": async (config) => {
    const first = await brokerOf(earlier);
    return {
      first,
      next: async () => {
        expect(await first.served.replace([await compiled(config)], undefined)).toEqual([]);
        return first;
      },
    };
  },
};

async function tell(broker: Broker, text: string): Promise<void> {
  const sender = await broker.connect({ protocolVersion: 5 });
  for (const topic of topics) await sender.mqtt.publishAsync(topic, text, { qos: 1 });
  await sender.mqtt.endAsync();
}

const heard = ({ got }: Client): readonly string[] => got.map((line) => line.split(" ").slice(0, 2).join(" "));

describe.each(Object.keys(ways))("%s", (way) => {
  test.each(Object.keys(clients))("%s: what is refused now is not heard, nor what waited by it", async (name) => {
    const { first, next } = (await ways[way]?.(later)) ?? {};
    const client = await first?.connect(clients[name]);
    await client?.mqtt.subscribeAsync([...(filters[name] ?? [])], { qos: 1 });
    await client?.mqtt.endAsync();
    await tell(first as Broker, "waited");
    const broker = (await next?.()) as Broker;
    const back = await broker.connect(clients[name]);
    expect(back.connack.sessionPresent).toBe(true);
    await tell(broker, "new");
    await back.has(2);
    expect(heard(back)).toEqual(["production/other/news waited", "production/other/news new"]);
  });

  test("the network policy of an authorizer is decided for the address from which the client comes back", async () => {
    const closed = earlier.replace("  decide:\n", "  decide:\n    network: { source: socket, ip: { allow: [10.0.0.0/8] } }\n");
    const { first, next } = (await ways[way]?.(closed)) ?? {};
    const client = await first?.connect(clients.user);
    await client?.mqtt.subscribeAsync([...(filters.user ?? [])], { qos: 1 });
    await client?.mqtt.endAsync();
    await tell(first as Broker, "waited");
    const broker = (await next?.()) as Broker;
    const back = await broker.connect(clients.user);
    await expect(back.mqtt.subscribeAsync("production/guarded/#")).rejects.toThrow("Not authorized");
    await tell(broker, "new");
    await back.has(2);
    expect(heard(back)).toEqual(["production/other/news waited", "production/other/news new"]);
  });

  test("a client that goes while its authorizer is asked is asked again, and nobody else has its session meanwhile", async () => {
    const { first, next } =
      (await ways[way]?.(service(false, "nothing", "- { name: Wait, delay: 2s, pre_log: [{ msg: asked, level: info }] }"))) ?? {};
    const client = await first?.connect(clients.user);
    await client?.mqtt.subscribeAsync([...(filters.user ?? [])], { qos: 1 });
    await client?.mqtt.endAsync();
    const broker = (await next?.()) as Broker;
    const cut = broker.connect(clients.user).catch(() => "cut");
    await until(() => expect(broker.log.join()).toContain("asked"));
    const back = await broker.connect(clients.user);
    expect(await cut).toBe("cut");
    await tell(broker, "new");
    await back.has(1);
    expect(heard(back)).toEqual(["production/other/news new"]);
    expect(back.mqtt.connected).toBe(true);
  });
});
