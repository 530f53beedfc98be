import type { Publish } from "./packets.ts";

export type QoS = 0 | 1 | 2;

/** The properties of a message that subscribers get unchanged (MQTT 5, 3.3.2.3). */
export type MessageProperties = Pick<
  NonNullable<Publish["properties"]>,
  "payloadFormatIndicator" | "contentType" | "responseTopic" | "correlationData" | "userProperties"
>;

/** An application message. */
export interface Message {
  readonly topic: string;
  readonly payload: Buffer;
  readonly qos: QoS;
  readonly retain: boolean;
  readonly properties?: MessageProperties;
  /** The approximate bytes of the properties in memory. */
  readonly propertyBytes?: number;
  /** The time, by the monotonic clock, from which the message is not delivered any more. */
  readonly expiresAt?: number;
  /** The key of the session that has published the message. */
  readonly publisher?: string;
  /** The number with which its publisher has released the message. */
  readonly release?: number;
  /** True while its run is already stored and its publisher has not released it. */
  readonly isStoredRun?: boolean;
  /** True when it is the will of its publisher. */
  readonly isWill?: boolean;
}

/** The packets of one message that are the same for many subscribers. */
export type SameFrames = Map<"old" | "old retained" | "new" | "new retained", Buffer>;

/** A message for one subscriber. */
export interface Delivery {
  readonly message: Message;
  /** The lower of the QoS of the message and that of the subscription. */
  readonly qos: QoS;
  readonly retain: boolean;
  /** Identifiers of the subscriptions for which the client gets the message. */
  readonly identifiers: readonly number[];
  /** The filter of the shared subscription for which the client gets it: another member may get it instead. */
  readonly share?: string;
  /** Its packets, which other subscribers get, too; absent for a message that may wait. */
  readonly frames?: SameFrames;
}

const forwarded = ["payloadFormatIndicator", "contentType", "responseTopic", "correlationData", "userProperties"] as const;

/** Copies bytes into memory of their own: parts of a chunk, or of the pool of `Buffer.from`, keep all of it. */
function ownBytes(bytes: Buffer): Buffer {
  const own = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(own);
  return own;
}

/** Makes a message from a PUBLISH or a will, which keeps nothing of the chunk in which it arrived. `now` is the monotonic clock. */
export function messageOf(
  packet: Pick<Publish, "topic" | "payload" | "properties"> & { readonly qos: QoS; readonly retain: boolean },
  now: number,
  publisher?: string,
): Message {
  const properties = { ...packet.properties };
  if (properties.correlationData !== undefined) properties.correlationData = ownBytes(properties.correlationData);
  const names = forwarded.filter((name) => properties[name] !== undefined);
  const { messageExpiryInterval: seconds } = properties;
  return {
    topic: packet.topic,
    payload: ownBytes(packet.payload),
    qos: packet.qos,
    retain: packet.retain,
    ...(names.length === 0 ? {} : propertiesOf(Object.fromEntries(names.map((name) => [name, properties[name]])))),
    ...(seconds === undefined ? {} : { expiresAt: now + seconds * 1000 }),
    ...(publisher === undefined ? {} : { publisher }),
  };
}

export const isExpired = ({ expiresAt }: Message, now: number): boolean => expiresAt !== undefined && expiresAt <= now;

/** The way in which one subscriber gets a message. */
export interface Sending {
  /** The packet identifier of a message that must be acknowledged. */
  readonly id: number | undefined;
  readonly isAgain: boolean;
  readonly now: number;
  /** True for a subscriber of MQTT 5, which reads properties. */
  readonly isNew: boolean;
}

/** The packet that carries a message to its subscriber. */
export function publishOf({ message, qos, retain, identifiers }: Delivery, { id, isAgain, now, isNew }: Sending): Publish {
  const { topic, payload, properties, expiresAt } = message;
  const own = {
    ...(expiresAt === undefined ? {} : { messageExpiryInterval: Math.ceil((expiresAt - now) / 1000) }),
    ...(identifiers.length === 0 ? {} : { subscriptionIdentifier: [...identifiers] }),
  };
  return {
    cmd: "publish",
    topic,
    payload,
    qos,
    retain,
    dup: isAgain,
    ...(id === undefined ? {} : { messageId: id }),
    ...(isNew ? { properties: { ...properties, ...own } } : {}),
  };
}

/** The properties of a message, with their bytes in memory: they may be as large as its payload. */
export function propertiesOf(properties: MessageProperties): Pick<Message, "properties" | "propertyBytes"> {
  const { contentType = "", responseTopic = "", correlationData, userProperties = {} } = properties;
  const pairs = Object.entries(userProperties).flatMap(([name, texts]) =>
    [texts].flat().map((text) => name.length + text.length + perPair),
  );
  const bytes = contentType.length + responseTopic.length + (correlationData?.length ?? 0);
  return { properties, propertyBytes: pairs.reduce((sum, one) => sum + one, bytes) };
}

/** The bytes that a message, and a user property, need in addition to their content. */
const perMessage = 200;
const perPair = 64;

/** The approximate bytes of a message in memory. */
export const sizeOf = ({ topic, payload, propertyBytes = 0 }: Message): number =>
  topic.length + payload.length + propertyBytes + perMessage;
