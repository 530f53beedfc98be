import { afterEach, describe, expect, test } from "vitest";
import { brokerOf, endAll } from "../runtime/triggers/mqtt/mqtt-serving.ts";
import { packFile, packFolder } from "./packs.ts";

// The pack with the MQTT broker, as its README says it is used.

afterEach(endAll);

const folder = packFolder("realtime-mqtt-broker");

describe.skipIf(folder === undefined).each([
  ["printed", false],
  ["interpreted", true],
] as const)("realtime-mqtt-broker, %s", (_, interpret) => {
  const text = folder === undefined ? "" : packFile("realtime-mqtt-broker", "broker.yml");

  test("a reading is delivered, and comes back enriched; one without its parts does not", async () => {
    const { connect } = await brokerOf(text, {}, interpret);
    const here = await connect();
    await here.mqtt.subscribeAsync("production/telemetry/+");
    const reading = { device_id: "sensor-01", temp_c: 21.4, humidity: 48 };
    await here.mqtt.publishAsync("production/telemetry/reading", JSON.stringify({ device_id: "sensor-02" }), { qos: 1 });
    await here.mqtt.publishAsync("production/telemetry/reading", JSON.stringify(reading), { qos: 1 });
    await here.has(3);
    const processed = here.got.filter((line) => line.startsWith("production/telemetry/processed "));
    expect(processed).toHaveLength(1);
    expect(JSON.parse(processed[0]?.slice("production/telemetry/processed ".length, -" 0 false".length) ?? "")).toEqual({
      ...reading,
      reading_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      received_at: expect.any(String),
    });
  });

  test("a retained command reaches a device that comes later; the authorizer lets it see nothing else", async () => {
    const { connect } = await brokerOf(text, {}, interpret);
    const [backend, device] = [await connect(), await connect({}, "tcp")];
    const command = JSON.stringify({ device_id: "sensor-01", command: "reboot" });
    await backend.mqtt.publishAsync("production/commands/set", command, { qos: 1, retain: true });
    await device.mqtt.subscribeAsync("production/commands/set", { qos: 1 });
    await device.has(1);
    expect(device.got).toEqual([`production/commands/set ${command} 1 true`]);
    await expect(device.mqtt.subscribeAsync("production/commands/#")).rejects.toThrow();
    await expect(device.mqtt.subscribeAsync("production/#")).rejects.toThrow();
  });
});
