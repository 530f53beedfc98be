import type { Host } from "../../process/host.ts";
import { asList, type Json, type JsonObject } from "../../value/json.ts";
import { limits } from "./limits.ts";
import { type Message, type MessageProperties, propertiesOf } from "./message.ts";

/** The clocks of a process: one that other processes share, and a monotonic one. */
export type Clock = Pick<Host, "now" | "monotonic">;

/** The most characters of a payload as Base64: neither clients nor actions send more. */
const longestPayload = Math.ceil(limits.packet / 3) * 4;

/** A message in stored form: bytes as Base64, and its expiry by the clock that other processes share. */
export function storedMessage(
  { payload, qos, properties = {}, expiresAt, isStoredRun = false }: Message,
  { now, monotonic }: Clock,
): JsonObject {
  const { correlationData, payloadFormatIndicator, contentType, responseTopic, userProperties } = properties;
  const pairs = Object.entries(userProperties ?? {}).map(([name, value]): Json => [name, value]);
  return {
    payload: payload.toString("base64"),
    qos,
    ...(isStoredRun ? { run: true } : {}),
    ...(expiresAt === undefined ? {} : { expires: now() + expiresAt - monotonic() }),
    ...(payloadFormatIndicator === undefined ? {} : { text: payloadFormatIndicator }),
    ...(contentType === undefined ? {} : { type: contentType }),
    ...(responseTopic === undefined ? {} : { answer: responseTopic }),
    ...(correlationData === undefined ? {} : { correlation: correlationData.toString("base64") }),
    ...(pairs.length === 0 ? {} : { user: pairs }),
  };
}

/** Reads a stored message; undefined when no process of this program has written it. */
export function readMessage(topic: string, data: JsonObject, retain: boolean, { now, monotonic }: Clock): Message | undefined {
  const { payload, qos, expires } = data;
  if (typeof payload !== "string" || (qos !== 0 && qos !== 1 && qos !== 2)) return undefined;
  if (payload.length > longestPayload) return undefined;
  const properties = writtenIn(data);
  return {
    topic,
    payload: Buffer.from(payload, "base64"),
    qos,
    retain,
    ...(data.run === true ? { isStoredRun: true } : {}),
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
    // The name of a user property may be any text, even one that objects have as a member.
    ...(pairs.length === 0 ? {} : { userProperties: Object.assign(Object.create(null), Object.fromEntries(pairs)) }),
  };
}

/** Reads a name with its text or texts; gives none for any other value. */
function pairOf(pair: Json): [string, string | string[]][] {
  const [name, value] = asList(pair);
  if (typeof name !== "string") return [];
  if (typeof value === "string") return [[name, value]];
  const texts = Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
  return texts.length === 0 ? [] : [[name, texts]];
}
