import mqtt, { type IClientOptions, type IConnackPacket, type MqttClient } from "mqtt";
import { until } from "../../../harness/until.ts";
import { key, processes, type Running } from "../../bus/services.ts";

/** A client, and what it has got so far: `topic payload`. */
export interface FarClient {
  readonly mqtt: MqttClient;
  readonly got: string[];
  readonly connack: IConnackPacket;
  /** Reason codes of DISCONNECT packets from the server. */
  readonly told: (number | undefined)[];
  readonly has: (count: number) => Promise<void>;
  readonly isClosed: () => boolean;
}

export interface FarProcesses {
  readonly start: ReturnType<typeof processes>["start"];
  /** A client of the organisation; rejects when it is refused. */
  readonly connect: (service: Running, options?: IClientOptions) => Promise<FarClient>;
  readonly endAll: () => Promise<void>;
}

/** Processes of a service, as the command starts them, and clients of MQTT over WebSocket. */
export function farProcesses(): FarProcesses {
  const { start, endAll } = processes();
  const clients: MqttClient[] = [];
  const connect = async ({ url }: Running, options: IClientOptions = {}): Promise<FarClient> => {
    const client = mqtt.connect(`${url.replace("http", "ws")}/mqtt`, {
      username: "local",
      password: key,
      reconnectPeriod: 0,
      connectTimeout: 30_000,
      ...options,
    });
    clients.push(client);
    const got: string[] = [];
    const told: (number | undefined)[] = [];
    let isClosed = false;
    client.on("message", (topic, payload) => got.push(`${topic} ${payload}`));
    client.on("disconnect", ({ reasonCode }) => told.push(reasonCode));
    client.on("close", () => {
      isClosed = true;
    });
    const connack = await new Promise<IConnackPacket>((resolve, reject) => {
      client.once("connect", resolve);
      client.on("error", reject);
      client.once("close", () => reject(new Error("closed without an answer")));
    });
    const has = (count: number): Promise<void> =>
      until(() => {
        if (got.length < count) throw new Error(`client ${client.options.clientId}: only ${JSON.stringify(got)} of ${count}`);
      });
    return { mqtt: client, got, connack, told, has, isClosed: () => isClosed };
  };
  return {
    start,
    connect,
    endAll: async () => {
      await Promise.all(clients.splice(0).map((client) => client.endAsync(true)));
      endAll();
    },
  };
}

/** Options of a client whose session outlives its connection. */
export const durable = (clientId: string, protocolVersion: 4 | 5): IClientOptions => ({
  clientId,
  clean: false,
  protocolVersion,
  ...(protocolVersion === 5 ? { properties: { sessionExpiryInterval: 600 } } : {}),
});

/** A configuration with an interface that tells of its runs. */
export const devices = `name: devices
interfaces:
  telemetry:
    mqtt: reading
    actions:
      - { name: Tell, mqtt_publish: { topics: ran, data: a|body|, qos: 1 } }
`;

/** Numbers from 0 on, as texts. */
export const numbers = (count: number): readonly string[] => Array.from({ length: count }, (_, n) => `${n}`);
