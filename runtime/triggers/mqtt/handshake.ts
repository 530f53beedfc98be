import { limits } from "./limits.ts";
import { type Connack, type Connect, encode, type Version } from "./packets.ts";
import { type Reason, reasons, Violation } from "./reasons.ts";
import { isTopicName } from "./topics.ts";

/** The terms for which a CONNECT asks, in one form for all versions. */
export interface Terms {
  readonly version: Version;
  readonly clientId: string;
  /** True when the client has sent no name, so that it gets one. */
  readonly isNamed: boolean;
  /** True when the client continues its existing session. */
  readonly keeps: boolean;
  /** Seconds for which the session is kept after the connection has ended. */
  readonly expiry: number;
  /** Seconds after which a silent client counts as gone; 0 for never. */
  readonly keepAlive: number;
  /** The most messages of QoS 1 and 2 that the client accepts at once. */
  readonly window: number;
}

/** The longest name of a client, in characters. */
const longestId = 1_024;

/**
 * The version in the first packet of a connection, read before its other content: an unknown version is answered in a form that its client
 * may understand (MQTT 3.1.2.2). Undefined for a version that the broker does not speak. Any packet except a CONNECT is a `Violation`.
 */
export function versionOf(frame: Buffer): { readonly level: number; readonly version: Version | undefined } {
  // After the fixed header come the length of the protocol's name, the name, and the level.
  const start = 1 + [1, 2, 3, 4].findIndex((i) => (frame[i] ?? 0) < 0x80) + 1;
  const length = frame.length >= start + 2 ? frame.readUInt16BE(start) : 0;
  const name = frame.toString("latin1", start + 2, start + 2 + length);
  const level = frame[start + 2 + length];
  if (frame[0] !== 0x10 || level === undefined || (name !== "MQTT" && name !== "MQIsdp"))
    throw new Violation(reasons.protocolError, "the first packet is no CONNECT of MQTT");
  if (name === "MQIsdp") return { level, version: level === 3 ? 3 : undefined };
  return { level, version: level === 4 || level === 5 ? level : undefined };
}

/** The terms of a client, or the reason why it cannot have them. `uuid` makes a name for a client without one. */
export function termsOf(connect: Connect, version: Version, uuid: () => string): Terms | Reason {
  const { clientId, clean = true, keepalive = 0, properties = {} } = connect;
  if (properties.authenticationMethod !== undefined) return reasons.badAuthenticationMethod;
  if (clientId.length > longestId || (clientId === "" && version < 5 && !clean)) return reasons.badClientId;
  const seconds = version === 5 ? (properties.sessionExpiryInterval ?? 0) : clean ? 0 : limits.sessionMs / 1000;
  return {
    version,
    clientId: clientId === "" ? uuid() : clientId,
    isNamed: clientId !== "",
    keeps: !clean,
    expiry: Math.min(seconds, limits.sessionMs / 1000),
    keepAlive: keepalive === 0 && version === 5 ? limits.serverKeepAlive : keepalive,
    window: Math.min(properties.receiveMaximum ?? limits.receiveMaximum, limits.receiveMaximum),
  };
}

/** The reason why a will could never be published by the protocol; undefined when it could. */
export function problemOfWill({ will }: Connect): Reason | undefined {
  if (will === undefined) return undefined;
  const { responseTopic } = will.properties ?? {};
  if (!isTopicName(will.topic) || (responseTopic !== undefined && !isTopicName(responseTopic))) return reasons.badTopic;
  return undefined;
}

/** The most bytes of a packet that the client accepts. */
export const largestFor = ({ properties }: Connect): number => properties?.maximumPacketSize ?? Number.POSITIVE_INFINITY;

/**
 * Properties that a client does not need: the first ones have these values by default, and without the last one it uses no topic aliases.
 */
const dispensable = [
  ...(["retainAvailable", "wildcardSubscriptionAvailable", "subscriptionIdentifiersAvailable"] as const),
  ...(["sharedSubscriptionAvailable", "topicAliasMaximum"] as const),
];

/**
 * The CONNACK that admits a client. If it would be larger than the client accepts, it leaves out dispensable properties [MQTT-3.1.2-24];
 * undefined when it is still too large.
 */
export function welcome(terms: Terms, connect: Connect): Connack | undefined {
  const connack = { cmd: "connack", sessionPresent: false, returnCode: 0, reasonCode: 0 } as const;
  if (terms.version < 5) return connack;
  const properties: NonNullable<Connack["properties"]> = offers(terms, connect);
  const packet = { ...connack, properties };
  for (const name of dispensable) {
    if (encode(packet, 5).length <= largestFor(connect)) return packet;
    delete properties[name];
  }
  return encode(packet, 5).length <= largestFor(connect) ? packet : undefined;
}

/** The properties of the broker for a client of MQTT 5 (spec/surfaces 4). */
function offers({ keepAlive, expiry, clientId, isNamed }: Terms, { keepalive = 0, properties }: Connect) {
  return {
    ...(expiry === (properties?.sessionExpiryInterval ?? 0) ? {} : { sessionExpiryInterval: expiry }),
    receiveMaximum: limits.receiveMaximum,
    retainAvailable: true,
    maximumPacketSize: limits.packet,
    ...(isNamed ? {} : { assignedClientIdentifier: clientId }),
    topicAliasMaximum: limits.topicAliases,
    wildcardSubscriptionAvailable: true,
    subscriptionIdentifiersAvailable: true,
    sharedSubscriptionAvailable: true,
    ...(keepAlive === keepalive ? {} : { serverKeepAlive: keepAlive }),
  };
}
