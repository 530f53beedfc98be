import { limits } from "./limits.ts";
import { type Connack, type Connect, encode, type Version } from "./packets.ts";
import { type Reason, reasons, Violation } from "./reasons.ts";
import { isTopicName } from "./topics.ts";

/** The terms that a CONNECT asks for, in one form for all versions. */
export interface Terms {
  readonly version: Version;
  readonly clientId: string;
  /** The client has sent no name and is given one. */
  readonly isNamed: boolean;
  /** Goes on with the session that there is. */
  readonly keeps: boolean;
  /** Seconds for which the session is kept when the connection has ended. */
  readonly expiry: number;
  /** Seconds after which a silent client counts as gone; 0: never. */
  readonly keepAlive: number;
  /** Messages of QoS 1 and 2 that the client takes at once. */
  readonly window: number;
}

/** Longest name of a client, in characters. */
const longestId = 1_024;

/**
 * The version that the first packet of a connection names, before anything else of it is read: another one is answered in a form that the
 * client may know (MQTT 3.1.2.2). Undefined for one that the broker does not speak. Anything but a CONNECT is a `Violation`.
 */
export function versionOf(frame: Buffer): { readonly level: number; readonly version: Version | undefined } {
  // After the fixed header: length of the name, the name, the level.
  const start = 1 + [1, 2, 3, 4].findIndex((i) => (frame[i] ?? 0) < 0x80) + 1;
  const length = frame.length >= start + 2 ? frame.readUInt16BE(start) : 0;
  const name = frame.toString("latin1", start + 2, start + 2 + length);
  const level = frame[start + 2 + length];
  if (frame[0] !== 0x10 || level === undefined || (name !== "MQTT" && name !== "MQIsdp"))
    throw new Violation(reasons.protocolError, "the first packet is no CONNECT of MQTT");
  if (name === "MQIsdp") return { level, version: level === 3 ? 3 : undefined };
  return { level, version: level === 4 || level === 5 ? level : undefined };
}

/** The terms of a client, or why it cannot have them. `uuid` names a client that has no name. */
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

/** Undefined for a will that may be published one day, as far as the protocol says. */
export function problemOfWill({ will }: Connect): Reason | undefined {
  if (will === undefined) return undefined;
  const { responseTopic } = will.properties ?? {};
  if (!isTopicName(will.topic) || (responseTopic !== undefined && !isTopicName(responseTopic))) return reasons.badTopic;
  return undefined;
}

/** The most bytes of a packet that the client takes. */
export const largestFor = ({ properties }: Connect): number => properties?.maximumPacketSize ?? Number.POSITIVE_INFINITY;

/** Properties that a client may go without: the first ones hold anyway, and without the last one it gives topics no numbers. */
const dispensable = [
  ...(["retainAvailable", "wildcardSubscriptionAvailable", "subscriptionIdentifiersAvailable"] as const),
  ...(["sharedSubscriptionAvailable", "topicAliasMaximum"] as const),
];

/**
 * The CONNACK that lets a client in. It leaves out what the client can go without where it would be larger than the client takes
 * [MQTT-3.1.2-24]; undefined where that is not enough.
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

/** The properties of the broker that a client of MQTT 5 learns (spec/surfaces 4). */
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
