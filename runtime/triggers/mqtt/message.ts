import type { Publish } from "./packets.ts";

export type QoS = 0 | 1 | 2;

/** The properties of a message that subscribers get as it was published (MQTT 5, 3.3.2.3). */
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
  /** About what they take in memory. */
  readonly propertyBytes?: number;
  /** Time of the monotonic clock from which on it is delivered no more. */
  readonly expiresAt?: number;
  /** Key of the session that has published it. */
  readonly publisher?: string;
  /** The number by which its publisher has released it. */
  readonly release?: number;
  /** True while its publisher has not released it and its run is in the store already. */
  readonly isStoredRun?: boolean;
  /** The will of its publisher. */
  readonly isWill?: boolean;
}

/** A message for one subscriber. */
export interface Delivery {
  readonly message: Message;
  /** The lower of the QoS it was published and subscribed with. */
  readonly qos: QoS;
  readonly retain: boolean;
  /** Numbers of the subscriptions it comes by. */
  readonly identifiers: readonly number[];
  /** The filter of the shared subscription it comes by: another member may get it instead. */
  readonly share?: string;
}

const forwarded = ["payloadFormatIndicator", "contentType", "responseTopic", "correlationData", "userProperties"] as const;

/**
 * Makes the kept message of a PUBLISH or of a will. Its payload is copied, because the original would keep the whole chunk that it came in.
 * `now` is that of the monotonic clock.
 */
export function messageOf(
  packet: Pick<Publish, "topic" | "payload" | "properties"> & { readonly qos: QoS; readonly retain: boolean },
  now: number,
  publisher?: string,
): Message {
  const { properties = {} } = packet;
  const names = forwarded.filter((name) => properties[name] !== undefined);
  const { messageExpiryInterval: seconds } = properties;
  return {
    topic: packet.topic,
    payload: Buffer.from(packet.payload),
    qos: packet.qos,
    retain: packet.retain,
    ...(names.length === 0 ? {} : propertiesOf(Object.fromEntries(names.map((name) => [name, properties[name]])))),
    ...(seconds === undefined ? {} : { expiresAt: now + seconds * 1000 }),
    ...(publisher === undefined ? {} : { publisher }),
  };
}

export const isExpired = ({ expiresAt }: Message, now: number): boolean => expiresAt !== undefined && expiresAt <= now;

interface Sending {
  /** The number of a message that is to be acknowledged. */
  readonly id: number | undefined;
  readonly isAgain: boolean;
  readonly now: number;
  /** The subscriber reads properties. */
  readonly isNew: boolean;
}

/** The packet of a message for its subscriber. */
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

/** The properties of a message, with what they take: they may be as large as its payload. */
export function propertiesOf(properties: MessageProperties): Pick<Message, "properties" | "propertyBytes"> {
  const { contentType = "", responseTopic = "", correlationData, userProperties = {} } = properties;
  const pairs = Object.entries(userProperties).flatMap(([name, texts]) =>
    [texts].flat().map((text) => name.length + text.length + perPair),
  );
  const bytes = contentType.length + responseTopic.length + (correlationData?.length ?? 0);
  return { properties, propertyBytes: pairs.reduce((sum, one) => sum + one, bytes) };
}

/** The bytes that a message, and a user property, take besides their own. */
const perMessage = 200;
const perPair = 64;

/** About what a message takes in memory. */
export const sizeOf = ({ topic, payload, propertyBytes = 0 }: Message): number =>
  topic.length + payload.length + propertyBytes + perMessage;
