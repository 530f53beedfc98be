import type { Host } from "../../process/host.ts";
import type { Retaining } from "../../realtime/durable-retained.ts";
import { maxKeyBytes } from "../../state/store.ts";
import { isObject, type Json, type JsonObject } from "../../value/json.ts";
import { type Message, type MessageProperties, propertiesOf } from "./message.ts";
import type { Retained } from "./retained.ts";
import { isTopicName } from "./topics.ts";

/** Retained messages as the durable state keeps them: those whose topics may be keys there. */
export function durable(retained: Retained, host: Pick<Host, "now" | "monotonic">): Retaining {
  return {
    keepWith: (keep) =>
      retained.keepWith((topic, message) => {
        if (Buffer.byteLength(topic) <= maxKeyBytes) keep(topic, message === undefined ? null : storedMessage(message, host));
      }),
    restore: (topic, data) => {
      const message = isObject(data) && isTopicName(topic) ? read(topic, data, host) : undefined;
      if (message !== undefined) retained.restore(message);
    },
  };
}

/** Bytes as Base64; the end of its time by the clock that other processes have, too. */
function storedMessage(
  { payload, qos, properties = {}, expiresAt }: Message,
  { now, monotonic }: Pick<Host, "now" | "monotonic">,
): JsonObject {
  const { correlationData, payloadFormatIndicator, contentType, responseTopic, userProperties } = properties;
  const pairs = Object.entries(userProperties ?? {}).map(([name, value]): Json => [name, value]);
  return {
    payload: payload.toString("base64"),
    qos,
    ...(expiresAt === undefined ? {} : { expires: now() + expiresAt - monotonic() }),
    ...(payloadFormatIndicator === undefined ? {} : { text: payloadFormatIndicator }),
    ...(contentType === undefined ? {} : { type: contentType }),
    ...(responseTopic === undefined ? {} : { answer: responseTopic }),
    ...(correlationData === undefined ? {} : { correlation: correlationData.toString("base64") }),
    ...(pairs.length === 0 ? {} : { user: pairs }),
  };
}

/** Undefined for what no process of ours has written. */
function read(topic: string, data: JsonObject, { now, monotonic }: Pick<Host, "now" | "monotonic">): Message | undefined {
  const { payload, qos, expires } = data;
  if (typeof payload !== "string" || (qos !== 0 && qos !== 1 && qos !== 2)) return undefined;
  const properties = writtenIn(data);
  return {
    topic,
    payload: Buffer.from(payload, "base64"),
    qos,
    retain: true,
    ...(Object.keys(properties).length === 0 ? {} : propertiesOf(properties)),
    ...(typeof expires === "number" ? { expiresAt: monotonic() + expires - now() } : {}),
  };
}

function writtenIn({ text, type, answer, correlation, user }: JsonObject): MessageProperties {
  const pairs = Array.isArray(user) ? user.flatMap((pair) => pairOf(pair)) : [];
  return {
    ...(typeof text === "boolean" ? { payloadFormatIndicator: text } : {}),
    ...(typeof type === "string" ? { contentType: type } : {}),
    ...(typeof answer === "string" ? { responseTopic: answer } : {}),
    ...(typeof correlation === "string" ? { correlationData: Buffer.from(correlation, "base64") } : {}),
    // A name may be any, also one that objects have by themselves.
    ...(pairs.length === 0 ? {} : { userProperties: Object.assign(Object.create(null), Object.fromEntries(pairs)) }),
  };
}

/** A name with its text or texts; none for anything else. */
function pairOf(pair: Json): [string, string | string[]][] {
  const [name, value] = Array.isArray(pair) ? pair : [];
  if (typeof name !== "string") return [];
  if (typeof value === "string") return [[name, value]];
  const texts = Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
  return texts.length === 0 ? [] : [[name, texts]];
}
