import { afterEach, describe, expect, test, vi } from "vitest";
import { channelsOf } from "#runtime/realtime/channels.ts";
import type { MqttMessage } from "#runtime/run/interface.ts";
import { mqttBroker } from "#runtime/triggers/mqtt.ts";
import { type Service, serviceOf, ways } from "./service.ts";

// Data fill one level of a topic or a channel: they never lead to another interface.

const open: Service[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

const text = `
name: t
interfaces:
  ws: { method: POST, show_error_detail: true, actions: [{ name: A, ws_publish: { channels: ["room:a|body::v|"], data: { n: 1 } } }] }
  ws-text: { method: POST, show_error_detail: true, actions: [{ name: A, ws_publish: { channels: "a|body::v|/in", data: { n: 1 } } }] }
  ws-whole: { method: POST, show_error_detail: true, actions: [{ name: A, ws_publish: { channels: "a|body::v|", data: { n: 1 } } }] }
  mq: { method: POST, show_error_detail: true, actions: [{ name: A, mqtt_publish: { topics: "rooms/a|body::v|/in", data: { n: 1 } } }] }
  mq-list: { method: POST, show_error_detail: true, actions: [{ name: A, mqtt_publish: { topics: ["all", "a|body::v|/in"], data: { n: 1 } } }] }
  mq-whole: { method: POST, show_error_detail: true, actions: [{ name: A, mqtt_publish: { topics: "a|body::v|", data: { n: 1 } } }] }
  mq-each: { method: POST, show_error_detail: true, actions: [{ name: A, mqtt_publish: { topics: ["a|body::v|"], data: { n: 1 } } }] }
  mq-own: { method: POST, show_error_detail: true, actions: [{ name: A, mqtt_publish: { topics: "a|env::PREFIX->raw|/a|body::v|", data: { n: 1 } } }] }
  mq-level: { method: POST, show_error_detail: true, actions: [{ name: A, mqtt_publish: { topics: "a|env::PREFIX|/x", data: { n: 1 } } }] }
`;

describe.each(ways)("%s", (_, way) => {
  async function published(path: string, v: unknown): Promise<unknown> {
    const service = await serviceOf(text, { ...way, env: { PREFIX: "a/b" } });
    open.push(service);
    const sent: string[] = [];
    vi.spyOn(mqttBroker(service.host), "publish").mockImplementation(({ topic }: MqttMessage) => void sent.push(topic));
    vi.spyOn(channelsOf(service.host), "publish").mockImplementation((channel) => void sent.push(channel));
    const { data } = JSON.parse((await service.ask(path, { v })).text);
    return data.A.error ?? sent;
  }

  test.each([
    ["7 a", "room:7 a"],
    [7, "room:7"],
    ["é", "room:é"],
    ["a.b", "room:a.b"],
    ["$presence", "room:$presence"],
  ])("%j is a level of a channel", async (v, channel) => {
    expect(await published("/ws", v)).toEqual([channel]);
  });

  test.each(["1:private:9", "1/9", ":", "+", "#", "a+b", "", null, "a\0b", { a: 1 }])("%j is none", async (v) => {
    expect(await published("/ws", v)).toBe("unsafe level of a channel");
    expect(await published("/ws-text", v)).toBe("unsafe level of a channel");
  });

  test.each([
    ["kitchen", "rooms/kitchen/in"],
    ["a:b", "rooms/a:b/in"],
    [12, "rooms/12/in"],
  ])("%j is a level of a topic", async (v, topic) => {
    expect(await published("/mq", v)).toEqual([topic]);
  });

  test.each(["dev/admin/x", "/", "+", "#", "a#", "", null, "a\0b"])("%j is none of a topic", async (v) => {
    expect(await published("/mq", v)).toBe("unsafe level of a topic");
    // No message is published when one topic of the list is invalid.
    expect(await published("/mq-list", v)).toBe("unsafe level of a topic");
  });

  test("a whole name may be a marker, and the configuration may lift the rule for itself", async () => {
    expect(await published("/ws-whole", "room:1:2")).toEqual(["room:1:2"]);
    expect(await published("/ws-whole", ["a", "b:c"])).toEqual(["a", "b:c"]);
    expect(await published("/mq-whole", "rooms/1/2")).toEqual(["rooms/1/2"]);
    expect(await published("/mq-whole", ["a/b", "c"])).toEqual(["a/b", "c"]);
    expect(await published("/mq-each", "a/b")).toEqual(["a/b"]);
    expect(await published("/mq-own", "x")).toEqual(["a/b/x"]);
    expect(await published("/mq-own", "x/y")).toBe("unsafe level of a topic");
    expect(await published("/mq-level", null)).toBe("unsafe level of a topic");
    expect(await published("/mq-list", "$SYS")).toMatch(/^a topic of the broker itself/);
  });
});
