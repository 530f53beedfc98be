import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { generate, type Packet, parser } from "mqtt-packet";
import { expect } from "vitest";
import { type Broker, key } from "./mqtt-serving.ts";

const open: Socket[] = [];

/** Closes what the test has opened. */
export function closeAll(): void {
  for (const socket of open.splice(0)) socket.destroy();
}

export type Version = 4 | 5;

/** A client that writes bytes of its own. */
export class Raw {
  readonly socket: Socket;
  readonly got: Packet[] = [];
  readonly closed: Promise<unknown>;
  readonly #version: Version;

  constructor(broker: Broker, version: Version) {
    this.#version = version;
    this.socket = connect(broker.tcpPort, "127.0.0.1");
    open.push(this.socket);
    const reader = parser({ protocolVersion: version });
    reader.on("packet", (packet) => void this.got.push(packet));
    this.socket.on("data", (chunk) => void reader.parse(chunk));
    this.socket.on("error", () => undefined);
    this.closed = once(this.socket, "close");
  }

  send(packet: Packet | Buffer | readonly number[]): void {
    this.socket.write("cmd" in packet ? generate(packet, { protocolVersion: this.#version }) : Buffer.from(packet));
  }

  /** The next packet that is not read yet. */
  async next(): Promise<Packet> {
    while (this.got.length === 0)
      await Promise.race([once(this.socket, "data"), this.closed.then(() => Promise.reject(new Error("closed")))]);
    return this.got.shift() as Packet;
  }

  /** The packets that come before the connection is closed. */
  async ended(): Promise<readonly Packet[]> {
    await this.closed;
    return this.got;
  }
}

let names = 0;

export const hello = (version: Version, more: object = {}): Packet =>
  ({
    cmd: "connect",
    protocolVersion: version,
    protocolId: "MQTT",
    clean: true,
    clientId: `raw-${++names}`,
    keepalive: 0,
    username: "acme",
    password: Buffer.from(key),
    ...more,
  }) as Packet;

/** A client that is let in. */
export async function raw(broker: Broker, version: Version, more: object = {}): Promise<Raw> {
  const client = new Raw(broker, version);
  client.send(hello(version, more));
  expect(await client.next()).toMatchObject({ cmd: "connack", ...(version === 5 ? { reasonCode: 0 } : { returnCode: 0 }) });
  return client;
}
