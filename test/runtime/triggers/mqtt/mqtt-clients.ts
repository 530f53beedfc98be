import type { IClientOptions } from "mqtt";
import { type Broker, brokerOf, type Carrier, type Client } from "./mqtt-serving.ts";

const config = `
name: devices
interfaces:
  telemetry: { mqtt: reading, actions: [{ name: Body, input: a|body| }] }
`;

/** The broker of these tests. */
export let broker: Broker;

/** Serves the broker of these tests. */
export async function startBroker(): Promise<void> {
  broker = await brokerOf(config);
}

/** Clients that end with the test. */
export const open: Client[] = [];

/** Ends the clients of a test. */
export async function closeClients(): Promise<void> {
  await Promise.all(open.splice(0).map(({ mqtt }) => mqtt.endAsync(true)));
}

/** Every client of a test has a carrier and a version. */
export type Kind = readonly [carrier: Carrier, version: 4 | 5];

/** A client that is ended after the test. */
export async function client([carrier, protocolVersion]: Kind, options: IClientOptions = {}): Promise<Client> {
  const made = await broker.connect({ protocolVersion, ...options }, carrier);
  open.push(made);
  return made;
}

let topics = 0;

/** A topic that no other test knows. */
export const topic = (): string => `t/${++topics}`;
