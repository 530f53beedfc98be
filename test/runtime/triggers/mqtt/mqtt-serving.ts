import mqtt, { type IClientOptions, type IConnackPacket, type MqttClient } from "mqtt";
import { type Served, type ServeOptions, serve } from "#runtime/process/server.ts";
import { readSettings } from "#runtime/process/settings/options.ts";
import type { Json } from "#runtime/value/json.ts";
import { compiled } from "../../../harness/captured.ts";
import { until } from "../../../harness/until.ts";

/** The API key of the organisation `acme` in these tests. */
export const key = "an-api-key-of-the-organisation";

/** Interfaces that tell what they were given. */
export const devices = `
name: devices
interfaces:
  telemetry:
    mqtt: reading
    actions:
      - { name: Seen, json_output: { body: a|body|, params: a|params|, raw: a|raw_body|, jwt: "a|headers::airpipe-jwt|", trigger: a|request::trigger|, path: a|request::path|, ip: a|ip::client| } }
      - { name: Tell, mqtt_publish: { topics: production/telemetry/seen, data: a|Seen|, qos: 1 } }
  rooms/door:
    mqtt: state/changed
    actions:
      - { name: Tell, mqtt_publish: { topics: seen/door, data: a|body| } }
  board:
    mqtt: news
    public: true
    actions:
      - { name: Tell, mqtt_publish: { topics: seen/board, data: a|body| } }
`;

/** The reports of runs about themselves. */
export async function seen(client: Client, count = 1): Promise<Json[]> {
  await client.has(count);
  return client.got.map((line) => JSON.parse(line.slice(line.indexOf(" ") + 1, line.lastIndexOf("}") + 1)));
}

/** A process that serves MQTT. */
export interface Broker {
  readonly served: Served;
  readonly log: readonly string[];
  /** A client of the organisation, unless the options say otherwise. Rejects when it is refused. */
  readonly connect: (options?: IClientOptions, carrier?: Carrier) => Promise<Client>;
  readonly tcpPort: number;
}

export type Carrier = "ws" | "tcp";

/** A client, and what it has got so far: `topic payload qos retain`. */
export interface Client {
  readonly mqtt: MqttClient;
  readonly got: string[];
  /** Resolves when so many messages have come. */
  readonly has: (count: number) => Promise<void>;
  readonly closed: Promise<void>;
  readonly connack: IConnackPacket;
}

const running: { readonly served: Served; readonly clients: Client[] }[] = [];

/** Ends what the tests have started. */
export async function endAll(): Promise<void> {
  for (const { served, clients } of running.splice(0)) {
    await Promise.all(clients.map((client) => client.mqtt.endAsync(true)));
    await served.close();
  }
}

/** Serves a configuration by way of the printed module, or of the interpreter, over HTTP and over TCP at free ports. */
export async function brokerOf(text: string, env: Readonly<Record<string, string>> = {}, interpret = false): Promise<Broker> {
  const log: string[] = [];
  const variables = {
    PIPEWRIGHT_ORG: "acme",
    PIPEWRIGHT_API_KEYS: key,
    PIPEWRIGHT_MQTT_BIND: "127.0.0.1:0",
    PIPEWRIGHT_ADMIN_BIND: "off",
    ...env,
  };
  const settings: ServeOptions = await readSettings({ address: "127.0.0.1", port: "0" }, variables);
  const urls: string[] = [];
  const served = await serve([await compiled(text, { interpret })], {
    ...settings,
    noticeMs: 0,
    log: (level, msg, fields = {}) => {
      log.push(`${level} ${msg}`);
      if (msg === "mqtt") urls.push(String(fields.url));
    },
  });
  const clients: Client[] = [];
  running.push({ served, clients });
  await until(() => {
    if (urls.length === 0 && variables.PIPEWRIGHT_MQTT_BIND !== "off") throw new Error("no TCP server yet");
  });
  const at = { ws: `${served.url.replace("http", "ws")}/mqtt`, tcp: urls[0] ?? "" };
  const connect = async (options: IClientOptions = {}, carrier: Carrier = "ws"): Promise<Client> => {
    const given = { username: "acme", password: key, reconnectPeriod: 0, connectTimeout: 3_000, ...options };
    const client = await follow(mqtt.connect(at[carrier], given));
    clients.push(client);
    return client;
  };
  return { served, log, connect, tcpPort: Number(new URL(urls[0] ?? "mqtt://127.0.0.1:0").port) };
}

/** Listens before anything comes. */
async function follow(client: MqttClient): Promise<Client> {
  const got: string[] = [];
  const closed = new Promise<void>((resolve) => client.once("close", resolve));
  client.on("message", (topic, payload, { qos, retain }) => got.push(`${topic} ${payload} ${qos} ${retain}`));
  const has = (count: number): Promise<void> =>
    until(() => {
      if (got.length < count) throw new Error(`only ${JSON.stringify(got)} of ${count}`);
    });
  const connack = await new Promise<IConnackPacket>((resolve, reject) => {
    client.once("connect", resolve);
    client.on("error", reject); // what the server ends later is told by `closed`
    client.once("close", () => reject(new Error("closed without an answer")));
  }).catch((error: unknown) => {
    client.end(true);
    throw error;
  });
  return { mqtt: client, connack, got, has, closed };
}
