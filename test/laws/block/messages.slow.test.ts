import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generate, type Packet } from "mqtt-packet";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { mqttClient } from "./mqtt-client.ts";
import { type BlockService, blockService, filled } from "./service.ts";

// WebSocket frames, MQTT packets, outputs of commands, and the search for many secrets in texts do not block other requests for long,
// either.

const key = "key-of-the-organisation";

/** The most bytes of a frame or a packet. */
const largest = 262_144;

const secrets = Array.from({ length: 200 }, (_, i) => `SECRET_${i}`);

const folder = mkdtempSync(join(tmpdir(), "pipewright-messages-"));

let service: BlockService;
beforeAll(async () => {
  const config = join(folder, "messages.yaml");
  const text = readFileSync(new URL("messages.yaml", import.meta.url), "utf8");
  writeFileSync(config, text.replace("SECRETS", secrets.map((name) => `a|secret::${name}|`).join(", ")));
  const vars = join(folder, "vars.yaml");
  writeFileSync(vars, secrets.map((name, i) => `${name}: ${name}-${"x".repeat(i % 7)}-${i * 7_919}-of-the-service`).join("\n"));
  service = await blockService(config, {
    args: ["--vars", vars],
    env: {
      PIPEWRIGHT_ORG: "acme",
      PIPEWRIGHT_API_KEYS: key,
      PIPEWRIGHT_ADMIN_BIND: "off",
      PIPEWRIGHT_MQTT_BIND: "127.0.0.1:0",
      PIPEWRIGHT_ALLOW_COMMANDS: "true",
      PIPEWRIGHT_WS_HISTORY_MAX: "100",
    },
  });
  // After this request the service hides the values of the secrets.
  expect((await fetch(`${service.url}/secret`, { method: "POST" })).status).toBe(200);
});
afterAll(async () => {
  await service.end();
  rmSync(folder, { recursive: true, force: true });
});

const list = (count: number, part: (i: number) => string): string => Array.from({ length: count }, (_, i) => part(i)).join(",");

const channels = (count: number): string => `[${list(count, (i) => `"c${i}"`)}]`;

/** Cases: a title, frames that are sent before the measurement, and frames that are measured. */
const frames: readonly (readonly [what: string, before: () => readonly string[], sent: () => readonly string[]])[] = [
  ["the largest body of a run", () => [], () => [filled(largest, "1")]],
  ["many of the largest bodies", () => [], () => Array.from({ length: 40 }, () => filled(largest, "{}"))],
  ["many small frames that run", () => [], () => Array.from({ length: 50_000 }, () => "1")],
  ["many pings", () => [], () => Array.from({ length: 50_000 }, () => '{"ap_ping":1}')],
  ["brackets without end", () => [], () => ["[".repeat(largest)]],
  ["more channels than may be", () => [], () => [`{"ap_subscribe":${channels(28_000)}}`]],
  ["as many patterns as may be", () => [], () => [`{"ap_subscribe":[${list(1_000, (i) => `"+:${i}:#"`)}]}`]],
  [
    "as many subscriptions again and again",
    () => [],
    () => Array.from({ length: 100 }, (_, i) => `{"${i % 2 ? "ap_unsubscribe" : "ap_subscribe"}":${channels(1_000)}}`),
  ],
  [
    "a large message to as many channels as may be",
    () => [`{"ap_subscribe":["#"]}`],
    () => [`{"ap_publish":{"channels":${channels(1_000)},"data":${filled(largest - 8_000, "1")}}}`],
  ],
  [
    "small messages to as many channels as may be",
    () => [`{"ap_subscribe":["#"]}`],
    () => [`{"ap_publish":{"channels":${channels(1_000)},"data":1}}`],
  ],
  [
    "large messages that are retained",
    () => [],
    () => [`{"ap_publish":{"channels":${channels(1_000)},"retain":true,"data":${filled(largest - 8_000, "1")}}}`],
  ],
  [
    "the replay of many retained messages",
    () => [`{"ap_publish":{"channels":${channels(900)},"retain":true,"data":${filled(60_000, "1")}}}`],
    () => [`{"ap_subscribe":["#","+",${list(40, (i) => `"c${i}","+:${i}"`)}]}`],
  ],
  [
    "histories of many channels",
    () => Array.from({ length: 20 }, () => `{"ap_publish":{"channels":${channels(40)},"data":${filled(60_000, "1")}}}`),
    () => [`{"ap_subscribe":${channels(40)},"history":100}`],
  ],
  [
    "as many presences as may be",
    () => [],
    () => Array.from({ length: 100 }, (_, i) => `{"ap_presence_enter":{"channel":"c${i}","id":"me","state":{"a":"${"x".repeat(4_000)}"}}}`),
  ],
];

// Other processes can only lengthen a measurement, so that one try within the limit proves the law.
describe("frames of a socket", () => {
  test.each(frames)("%s", { retry: 5 }, async (_, before, sent) => {
    const socket = new WebSocket(`${service.url.replace("http", "ws")}/ws/acme/production/live`, { headers: { "x-api-key": key } });
    await once(socket, "open");
    socket.on("error", () => undefined);
    const texts = sent();
    for (const text of texts) expect(text.length).toBeLessThanOrEqual(largest);
    await answered(socket, before());
    await service.measured(() => answered(socket, texts));
    socket.terminate();
  });
});

/** Sends frames and waits until the last one is answered, or until the service ends the connection because of too many errors. */
function answered(socket: WebSocket, texts: readonly string[]): Promise<void> {
  return new Promise((resolve) => {
    socket.once("close", () => resolve());
    socket.on("message", (data: Buffer) => {
      if (data.length < 100 && String(data).includes('"ap_pong":"last"')) resolve();
    });
    for (const text of texts) socket.send(text);
    socket.send('{"ap_ping":"last"}');
  });
}

const subscribe = (filters: readonly string[]): Packet => ({
  cmd: "subscribe",
  messageId: 1,
  subscriptions: filters.map((topic) => ({ topic, qos: 0 })),
});

const publish = (topic: string, payload: string, more: object = {}): Packet => ({
  cmd: "publish",
  topic,
  payload,
  qos: 0,
  dup: false,
  retain: false,
  ...more,
});

/** Filters of many levels that all match `a/a/a/…`, and differ in their first ten levels. */
const deepFilters = (from: number, count: number): string[] =>
  Array.from({ length: count }, (_, i) =>
    [...(from + i).toString(2).padStart(10, "0")]
      .map((bit) => (bit === "0" ? "+" : "a"))
      .join("/")
      .concat("/a".repeat(118)),
  );

const packets: readonly (readonly [what: string, before: () => readonly Packet[], sent: () => readonly Packet[]])[] = [
  ["the largest body of a run", () => [], () => [publish("production/device/reading", filled(largest - 60, "1"))]],
  ["many small messages that run", () => [], () => Array.from({ length: 50_000 }, () => publish("production/device/reading", "1"))],
  ["many small messages", () => [], () => Array.from({ length: 50_000 }, (_, i) => publish(`t/${i % 500}`, "1"))],
  ["many pings", () => [], () => Array.from({ length: 50_000 }, () => ({ cmd: "pingreq" }))],
  ["more filters than may be", () => [], () => [subscribe(Array.from({ length: 26_000 }, (_, i) => `f/${i}`))]],
  [
    "filters that nobody has",
    () => [],
    () => [{ cmd: "unsubscribe", messageId: 1, unsubscriptions: Array.from({ length: 26_000 }, (_, i) => `f/${i}`) }],
  ],
  [
    "many pairs of properties",
    () => [subscribe(["p"])],
    () => [
      publish("p", "1", { properties: { userProperties: Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, "v"])) } }),
    ],
  ],
  [
    "one property many times",
    () => [subscribe(["p"])],
    () => [publish("p", "1", { properties: { userProperties: { k: Array.from({ length: 30_000 }, () => "v") } } })],
  ],
  ["deep filters", () => [], () => Array.from({ length: 4 }, (_, i) => subscribe(deepFilters(i * 250, 250)))],
  [
    "messages that deep filters match",
    () => Array.from({ length: 4 }, (_, i) => subscribe(deepFilters(i * 250, 250))),
    () => Array.from({ length: 20 }, () => publish(`a${"/a".repeat(127)}`, "1")),
  ],
  [
    "large messages that are retained",
    () => [],
    () => Array.from({ length: 200 }, (_, i) => publish(`r/${i}`, "x".repeat(largest - 60), { retain: true })),
  ],
  [
    "the replay of retained messages",
    () => Array.from({ length: 900 }, (_, i) => publish(`s/${i}`, "x".repeat(60_000), { retain: true })),
    () => [
      subscribe(
        Array.from({ length: 500 }, (_, i) => (i % 2 ? `s/${i}` : `${"+/".repeat(i / 2)}#`)).filter((filter) => filter.length < 250),
      ),
    ],
  ],
];

describe("packets of MQTT", () => {
  test.each(packets)("%s", { retry: 5 }, async (_, before, sent) => {
    const client = await mqttClient(service.url, key);
    const bytes = sent().map((packet) => generate(packet, { protocolVersion: 5 }));
    for (const packet of bytes) expect(packet.length).toBeLessThanOrEqual(largest);
    await client.answered(Buffer.concat(before().map((packet) => generate(packet, { protocolVersion: 5 }))));
    await service.measured(() => client.answered(Buffer.concat(bytes)));
    client.socket.terminate();
  });
});

const commands = [
  "text",
  "bytes",
  "json",
  "brackets",
  "lines",
  "columns",
  "wide",
  "numbered",
  "matches",
  "block",
  "csv",
  "xml",
  "ndjson",
  "printed",
];

describe("outputs of commands", () => {
  test.each(commands)("%s", { retry: 5 }, async (path) => {
    await service.measured(async () => {
      const answer = await fetch(`${service.url}/${path}`, { method: "POST" });
      expect([200, 500]).toContain(answer.status);
      expect(await answer.text()).not.toContain("exceeds");
    });
  });
});

const json = "application/json";
const bytes = 10_400_000;

const texts: readonly (readonly [what: string, path: string, body: () => string])[] = [
  ["a text in the log", "log", () => `"${"a".repeat(bytes - 20)}"`],
  ["capitals in the log", "log", () => `"${"SECRET_1-".repeat(bytes / 9 - 20)}"`],
  ["numbers in the log", "log", () => filled(bytes, "1234567")],
  ["many texts in the log", "log", () => filled(bytes, '"secret"')],
  ["letters that are not Latin in the log", "log", () => `"${"\u00c9".repeat(bytes / 2 - 20)}"`],
  ["a text in a record", "record", () => `"${"SECRET_1-".repeat(bytes / 9 - 20)}"`],
  ["numbers in a record", "record", () => filled(bytes, "1234567")],
  ["a text in a failure", "failure", () => `"${"a".repeat(bytes - 20)}"`],
  ["what secrets begin with in a failure", "failure", () => `"${"SECRET_1-".repeat(bytes / 9 - 20)}"`],
  ["almost all of secrets in a failure", "failure", () => `"${"SECRET_10-xxx-79190-of-the-servic".repeat(bytes / 33 - 20)}"`],
];

describe("texts in which two hundred secrets are looked for", () => {
  test.each(texts)("%s", { retry: 5 }, async (_, path, body) => {
    const sent = body();
    expect(Buffer.byteLength(sent)).toBeLessThanOrEqual(10_485_760);
    await service.measured(async () => {
      const answer = await fetch(`${service.url}/${path}`, { method: "POST", body: sent, headers: { "content-type": json } });
      await answer.text();
      expect([200, 500]).toContain(answer.status);
    });
  });
});
