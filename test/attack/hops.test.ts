import { afterEach, describe, expect, test } from "vitest";
import { send } from "../harness/sockets.ts";
import { until } from "../harness/until.ts";
import { brokerOf, endAll } from "../runtime/triggers/mqtt/mqtt-serving.ts";
import { connect, key, serving } from "../runtime/triggers/ws/ws-serving.ts";
import { ways } from "./service.ts";

// Runs know how deep they are on each way by which one begins: the upgrade of a socket, a call of a tool, a message of MQTT.

afterEach(endAll);

const text = `
name: deep
interfaces:
  live: { ws: "on", actions: [{ name: A, json_output: ran }] }
  tool: { mcp: { enabled: true }, actions: [{ name: A, json_output: ran }] }
`;

const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "tool", arguments: {} } };

describe.each(ways)("%s", (_, { interpret }) => {
  test.each([
    ["8", 101],
    ["9", 508],
    ["nine", 101],
    ["99999999999999999999", 508],
  ])("the upgrade of a socket at depth %s is answered with %i", async (hops, status) => {
    const service = await serving(text, { interpret });
    const headers = { "x-api-key": key, "pipewright-hops": hops };
    const connected = await connect(service, "live", { headers }).then(
      () => 101,
      (refused: unknown) => refused,
    );
    expect(String(connected)).toContain(String(status));
    expect(service.log.filter(({ level }) => level === "critical")).toEqual([]);
  });

  test.each([
    ["8", 200, '"isError":false'],
    ["9", 508, '{"error":"loop_detected"}'],
  ])("a call of a tool at depth %s is answered with %i", async (hops, status, part) => {
    const service = await serving(text, { interpret });
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream", "pipewright-hops": hops };
    const answer = await send(service.url, "/mcp", { method: "POST", headers, body: JSON.stringify(call) });
    expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(part)]);
  });

  const topics = `
name: topics
interfaces:
  step:
    mqtt: taken
    actions:
      - { name: Tell, mqtt_publish: { topics: seen/step, data: a|body| } }
`;

  test.each([
    ["8", true],
    ["9", false],
    ["-9", true],
  ])("a message with the property pipewright-hops %s runs its interface: %s", async (hops, runs) => {
    const broker = await brokerOf(topics, {}, interpret);
    const client = await broker.connect({ protocolVersion: 5 });
    const levels: unknown[] = [];
    client.mqtt.on("message", (_topic, _payload, { properties }) => levels.push(properties?.userProperties?.["pipewright-hops"]));
    await client.mqtt.subscribeAsync("seen/#");
    await client.mqtt.publishAsync("production/step/taken", "1", { qos: 1, properties: { userProperties: { "pipewright-hops": hops } } });
    if (runs) {
      await client.has(1);
      expect(levels).toEqual([hops === "8" ? "9" : "1"]);
    } else {
      await until(() => expect(broker.log.join("\n")).toContain("runs have caused each other 9 times"));
      expect(client.got).toEqual([]);
    }
  });
});
