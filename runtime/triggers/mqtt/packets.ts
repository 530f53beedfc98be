import {
  generate,
  type IConnackPacket,
  type IConnectPacket,
  type IDisconnectPacket,
  type IPublishPacket,
  type ISubscribePacket,
  type IUnsubscribePacket,
  type Packet,
  parser,
  type UserProperties,
  writeToStream,
} from "mqtt-packet";
import { behindText, behindUtf8, type Properties, propertiesAt } from "./properties.ts";
import { reasons, Violation } from "./reasons.ts";

export type Connect = IConnectPacket;
export type Connack = IConnackPacket;
export type Disconnect = IDisconnectPacket;
export type Publish = IPublishPacket & { readonly payload: Buffer };
export type Subscribe = ISubscribePacket & { readonly messageId: number };
export type Unsubscribe = IUnsubscribePacket & { readonly messageId: number };
/** An acknowledgement of one of the four kinds (MQTT 3.4 to 3.7). */
export interface Ack {
  readonly cmd: "puback" | "pubrec" | "pubrel" | "pubcomp";
  readonly messageId: number;
  readonly reasonCode?: number;
}

/** A packet that a client may send. */
export type Inbound =
  | Connect
  | Publish
  | Subscribe
  | Unsubscribe
  | Ack
  | Disconnect
  | { readonly cmd: "pingreq" }
  | { readonly cmd: "auth" };

export type Version = 3 | 4 | 5;

// Without this, the library would make 65536 buffers at its first packet.
writeToStream.cacheNumbers = false;

export type { Packet };

/** The bytes of a packet to a client. */
export const encode = (packet: Packet, protocolVersion: Version): Buffer => generate(packet, { protocolVersion });

/**
 * Reads the packets of one connection, each from its own bytes, so that none reaches into the next. A packet that is not well formed, or
 * that only a server may send, is a `Violation`.
 */
export class Decoder {
  readonly #parser = parser();
  #packet: Packet | undefined;
  #problem: Error | undefined;
  #version: Version = 4;

  constructor() {
    this.#parser.on("packet", (packet) => {
      this.#packet = packet;
    });
    this.#parser.on("error", (error: Error) => {
      this.#problem = error;
    });
  }

  decode(frame: Buffer): Inbound {
    this.#packet = undefined;
    const packet = this.#parse(frame);
    if (packet.cmd === "pingreq" && frame.length !== 2) throw malformed("pingreq has two bytes");
    return sound(packet, this.#version);
  }

  #parse(frame: Buffer): Packet {
    try {
      this.#parser.parse(frame);
      const packet = this.#packet as Packet | undefined; // the parser calls back while it parses
      if (this.#problem !== undefined || packet === undefined) throw malformed(this.#problem?.message ?? "a packet ends too early");
      if (packet.cmd === "connect") this.#version = packet.protocolVersion ?? 4;
      readBytes(packet, frame, this.#version === 5);
      return packet;
    } catch (error) {
      // The parser reads past the end of some truncated packets.
      if (!(error instanceof RangeError)) throw error;
      throw malformed("a packet ends too early");
    }
  }
}

/**
 * Reads the bytes of a packet a second time, because the library accepts wrong properties and loses some values. It also replaces bytes
 * that are no UTF-8 by U+FFFD, a character that a client may also send itself [MQTT-1.5.4-1].
 */
function readBytes(packet: Packet, frame: Buffer, isNew: boolean): void {
  const { length = 0 } = packet;
  const start = frame.length - length;
  const properties = (at: number): Properties => (isNew ? propertiesAt(frame, at) : { end: at, user: undefined });
  switch (packet.cmd) {
    case "connect": {
      const own = properties(behindText(frame, start) + 4);
      takePairs(packet.properties, own);
      const behindName = behindUtf8(frame, own.end);
      const will = packet.will === undefined ? undefined : properties(behindName);
      if (will !== undefined) takePairs(packet.will?.properties, will);
      // The payload of the will follows its topic, in the form of a text.
      const behindWill = will === undefined ? behindName : behindText(frame, behindUtf8(frame, will.end));
      if (packet.username !== undefined) behindUtf8(frame, behindWill);
      return;
    }
    case "publish": {
      const behindTopic = packet.topic.includes("\ufffd") ? behindUtf8(frame, start) : behindText(frame, start);
      if (isNew) takePairs(packet.properties, propertiesAt(frame, behindTopic + (packet.qos > 0 ? 2 : 0)));
      return;
    }
    case "subscribe":
    case "unsubscribe":
      for (let at = properties(start + 2).end; at < frame.length; ) at = behindUtf8(frame, at) + (packet.cmd === "subscribe" ? 1 : 0);
      return;
    case "disconnect":
      if (length > 1) properties(start + 1);
      return;
    default:
      if (packet.cmd.startsWith("pub") && length > 3) properties(start + 3);
  }
}

function takePairs(properties: { userProperties?: UserProperties } | undefined, { user }: Properties): void {
  if (properties !== undefined && user !== undefined) properties.userProperties = user;
}

/** Checks the rules that the library does not check. */
function sound(packet: Packet, version: Version): Inbound {
  const { properties = {} } = packet as { properties?: Readonly<Record<string, unknown>> };
  requireProperties(packet.cmd, properties);
  switch (packet.cmd) {
    case "connect":
      return soundConnect(packet);
    case "publish":
      if (packet.qos > 0) requireId(packet);
      requireTexts([packet.topic]);
      if (packet.qos === 0 && packet.dup) throw malformed("DUP is for QoS 1 and 2"); // [MQTT-3.3.1-2]
      return packet as Publish; // the parser leaves payloads unchanged
    case "subscribe":
      requireId(packet);
      if (packet.subscriptions.length === 0) throw protocolError("SUBSCRIBE without a filter"); // [MQTT-3.8.3-2]
      requireTexts(packet.subscriptions.map(({ topic }) => topic));
      return packet as Subscribe;
    case "unsubscribe":
      requireId(packet);
      if (packet.unsubscriptions.length === 0) throw protocolError("UNSUBSCRIBE without a filter");
      requireTexts(packet.unsubscriptions);
      return packet as Unsubscribe;
    case "puback":
    case "pubrec":
    case "pubrel":
    case "pubcomp":
      requireId(packet);
      if (version < 5 && packet.length !== 2) throw malformed(`${packet.cmd} has two bytes`);
      return packet as Ack;
    case "pingreq":
    case "auth":
      return { cmd: packet.cmd };
    case "disconnect":
      return packet;
    default:
      throw protocolError(`a client does not send ${packet.cmd}`);
  }
}

function soundConnect(packet: Connect): Connect {
  const { will, clientId, username, protocolVersion } = packet;
  requireTexts([clientId, username ?? ""]);
  if (packet.password !== undefined && username === undefined && protocolVersion !== 5) throw malformed("a password without a user"); // [MQTT-3.1.2-22]
  if (will === undefined) return packet;
  if ((will.qos ?? 0) > 2) throw malformed("no such QoS of the will"); // [MQTT-3.1.2-14]
  requireProperties("will", will.properties ?? {});
  requireTexts([will.topic]);
  return packet;
}

const propertiesOf: Readonly<Record<string, readonly string[]>> = {
  connect: [
    ...["sessionExpiryInterval", "receiveMaximum", "maximumPacketSize", "topicAliasMaximum", "requestResponseInformation"],
    ...["requestProblemInformation", "authenticationMethod", "authenticationData"],
  ],
  will: ["willDelayInterval", "payloadFormatIndicator", "messageExpiryInterval", "contentType", "responseTopic", "correlationData"],
  publish: ["payloadFormatIndicator", "messageExpiryInterval", "topicAlias", "responseTopic", "correlationData", "contentType"],
  subscribe: ["subscriptionIdentifier"],
  unsubscribe: [],
  puback: ["reasonString"],
  pubrec: ["reasonString"],
  pubrel: ["reasonString"],
  pubcomp: ["reasonString"],
  disconnect: ["sessionExpiryInterval", "reasonString"],
  auth: ["authenticationMethod", "authenticationData", "reasonString"],
};

/** Properties that must not be 0 (MQTT 3.1.2.11.3 and .4, 3.3.2.3.4, 3.8.2.1.2). */
const positive: ReadonlySet<string> = new Set(["receiveMaximum", "maximumPacketSize", "topicAlias", "subscriptionIdentifier"]);

/**
 * Checks that each property belongs to the packet, and was complete: the library gives null, undefined, false or -1 for a truncated one.
 */
function requireProperties(kind: string, properties: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(properties)) {
    if (name === "userProperties") requirePairs(value);
    else if (propertiesOf[kind]?.includes(name) !== true) throw protocolError(`${kind} has no ${name}`);
    else if (value === null || value === undefined || value === -1) throw malformed(`${name} is cut short`);
    else if (positive.has(name) && !(typeof value === "number" && value > 0)) throw protocolError(`${name} must not be 0`);
    else if (typeof value === "string") requireTexts([value]);
  }
}

function requirePairs(value: unknown): void {
  for (const [name, text] of Object.entries(value ?? {})) {
    const texts: readonly unknown[] = Array.isArray(text) ? text : [text];
    if (!texts.every((each) => typeof each === "string")) throw malformed("a user property is cut short");
    requireTexts([name, ...(texts as readonly string[])]);
  }
}

/** [MQTT-1.5.4-2]: a text holds no NUL. */
function requireTexts(texts: readonly string[]): void {
  if (texts.some((text) => text.includes("\0"))) throw malformed("a text holds U+0000");
}

function requireId({ messageId }: Packet): void {
  if (messageId === undefined || messageId < 1) throw protocolError("a packet needs an identifier other than 0");
}

const malformed = (message: string): Violation => new Violation(reasons.malformed, message);
const protocolError = (message: string): Violation => new Violation(reasons.protocolError, message);
