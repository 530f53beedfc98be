import type { Keep } from "../../../bus/bus.ts";
import { parseJson } from "../../../formats/json-text.ts";
import { isObject, type Json, type JsonObject } from "../../../value/json.ts";
import { limits } from "../limits.ts";
import { type Message, sizeOf } from "../message.ts";
import { type Clock, readMessage, storedMessage } from "../stored-message.ts";
import { isTopicName } from "../topics.ts";

/** The kind of all messages of the broker on the bus. */
export const kind = "mqtt";

/** The rights of a client: they decide about the will that another process publishes for it. */
export type Rights = "key" | "jwt" | "anonymous";

/** A will that may have to be published by another process. */
export interface LeftWill {
  readonly delayMs: number;
  readonly rights: Rights;
  readonly bare: Message;
  readonly expiryMs: number | undefined;
}

/** A session as its client has opened it. `name` is another one each time. */
interface Named {
  readonly key: string;
  readonly name: string;
}

/** A message to subscribers of all processes; with `will` it is that of a session with this name. */
export interface Published {
  readonly t: "message";
  readonly message: Message;
  /** By this number its process knows it. */
  readonly number?: number;
  readonly will?: string;
  /** The message is for a member of this shared subscription, and nobody else. */
  readonly share?: string;
  /** The message is retained, and delivered to nobody. */
  readonly isRetainedOnly?: boolean;
}

export interface OpenedNotice extends Named {
  readonly t: "open";
  readonly keeps: boolean;
  readonly keptMs: number;
  /** The shared subscriptions of a session that goes on: processes that come later know no earlier notice of it. */
  readonly texts?: readonly string[];
  readonly will?: LeftWill;
}

/** The client is away: the session is kept until a time, and its will is due at another. */
export interface LeftNotice extends Named {
  readonly t: "left";
  readonly keptMs: number;
  /** The position at which its process got the session. */
  readonly epoch: number;
  readonly until: number;
  readonly will?: LeftWill & { readonly due: number };
}

export interface SharesNotice extends Named {
  readonly t: "shares";
  readonly isDurable: boolean;
  readonly texts: readonly string[];
}

/** A word of one process of a service to all of them about MQTT. */
export type Notice =
  | Published
  | OpenedNotice
  | LeftNotice
  /** The shared subscriptions of a session, all of them. */
  | SharesNotice
  /** Nothing is left of the session with this name, or somebody else has it. */
  | (Named & { readonly t: "end" })
  /** The session is stored for the one who has opened it by this name. */
  | (Named & { readonly t: "given" });

/** The shared subscription that stands in the text of a message for nobody. */
const nobody = "";

/** The most characters of a key: the scope of a credential and the name of a client. */
const longestKey = 2_048;

/** The most characters of a notice: that of the largest packet, as Base64 and with escapes. */
const longestBody = 2_097_152;

/** JSON text. */
export function encode(notice: Notice, clock: Clock): string {
  if (notice.t === "message") {
    const { message, number, will, isRetainedOnly = false } = notice;
    const share = isRetainedOnly ? nobody : notice.share;
    return JSON.stringify({ t: "message", ...packed(message, clock), ...membersOf({ number, will, share }) });
  }
  if (notice.t !== "open" && notice.t !== "left") return JSON.stringify(notice);
  const { will, ...rest } = notice;
  return JSON.stringify(will === undefined ? rest : { ...rest, will: { ...will, bare: packed(will.bare, clock) } });
}

/** Keys by which the bus keeps a notice for processes that come later. */
export const keepOf = {
  session: ({ key, name }: Named): string => JSON.stringify(["session", key, name]),
  shares: ({ key, name }: Named): string => JSON.stringify(["shares", key, name]),
  will: (name: string): string => JSON.stringify(["will", name]),
  retained: (topic: string): string => JSON.stringify(["retained", topic]),
} as const;

/** The part of a process for which a notice is kept. */
export function roleOf({ key }: Keep): Role | undefined {
  const [role] = /^\["(session|shares|will|retained)"/.exec(key)?.slice(1) ?? [];
  return role as Role | undefined;
}

type Role = keyof typeof keepOf;

/** Reads a notice; undefined for what no process of ours has written. */
export function decode(body: string, clock: Clock): Notice | undefined {
  const data = body.length > longestBody ? undefined : parseJson(body);
  if (!isObject(data)) return undefined;
  if (data.t === "message") return publishedIn(data, clock);
  const { t, key, name } = data;
  if (typeof key !== "string" || key.length > longestKey || typeof name !== "string" || name.length > longestKey) return undefined;
  switch (t) {
    case "open":
      return openedIn(data, { key, name }, clock);
    case "left":
      return leftIn(data, { key, name }, clock);
    case "shares":
      return sharesIn(data, { key, name });
    case "end":
    case "given":
      return { t, key, name };
    default:
      return undefined;
  }
}

function publishedIn(data: JsonObject, clock: Clock): Published | undefined {
  const message = unpacked(data, clock);
  const { number, will, share } = data;
  if (message === undefined) return undefined;
  return {
    t: "message",
    message: typeof will === "string" ? { ...message, isWill: true } : message,
    ...(typeof number === "number" ? { number } : {}),
    ...(typeof will === "string" ? { will } : {}),
    ...(share === nobody ? { isRetainedOnly: true } : typeof share === "string" ? { share } : {}),
  };
}

function sharesIn({ isDurable, texts }: JsonObject, named: Named): SharesNotice | undefined {
  if (typeof isDurable !== "boolean" || !Array.isArray(texts)) return undefined;
  return { t: "shares", ...named, isDurable, texts: filtersIn(texts) };
}

const filtersIn = (texts: readonly Json[]): readonly string[] =>
  texts
    .filter((text) => typeof text === "string")
    .filter((text) => text.length <= limits.filter)
    .slice(0, limits.subscriptions);

function openedIn({ keeps, keptMs, texts, will }: JsonObject, named: Named, clock: Clock): OpenedNotice | undefined {
  if (typeof keeps !== "boolean" || !isTime(keptMs)) return undefined;
  const left = willIn(will, clock);
  const shares = Array.isArray(texts) ? { texts: filtersIn(texts) } : {};
  return { t: "open", ...named, keeps, keptMs, ...shares, ...(left === undefined ? {} : { will: left }) };
}

function leftIn({ keptMs, epoch, until, will }: JsonObject, named: Named, clock: Clock): LeftNotice | undefined {
  if (!isTime(keptMs) || !isTime(epoch) || !isTime(until)) return undefined;
  const left = willIn(will, clock);
  const due = isObject(will) ? will.due : undefined;
  return { t: "left", ...named, keptMs, epoch, until, ...(left === undefined || !isTime(due) ? {} : { will: { ...left, due } }) };
}

function willIn(data: Json | undefined, clock: Clock): LeftWill | undefined {
  if (!isObject(data) || !isObject(data.bare)) return undefined;
  const { delayMs, rights, bare, expiryMs } = data;
  if (!isTime(delayMs) || (rights !== "key" && rights !== "jwt" && rights !== "anonymous")) return undefined;
  const read = unpacked(bare, clock);
  if (read === undefined) return undefined;
  return { delayMs, rights, bare: { ...read, isWill: true }, expiryMs: isTime(expiryMs) ? expiryMs : undefined };
}

/** A message with all that other processes need of it; in stored rows it has the same form. */
export const packed = (message: Message, clock: Clock): JsonObject => ({
  topic: message.topic,
  ...storedMessage(message, clock),
  ...(message.retain ? { retain: true } : {}),
  ...membersOf({ from: message.publisher, release: message.release }),
});

export function unpacked(data: JsonObject, clock: Clock): Message | undefined {
  const { topic, retain, from, release } = data;
  if (typeof topic !== "string" || !isTopicName(topic)) return undefined;
  const message = readMessage(topic, data, retain === true, clock);
  if (message === undefined || (typeof from === "string" && from.length > longestKey)) return undefined;
  return {
    ...message,
    ...(typeof from === "string" ? { publisher: from } : {}),
    ...(typeof release === "number" ? { release } : {}),
  };
}

/** About how much memory a will takes. */
export const sizeOfWill = ({ bare }: LeftWill): number => sizeOf(bare);

const isTime = (value: Json | undefined): value is number => typeof value === "number" && Number.isFinite(value) && value >= 0;

/** A will with the time at which it is due, without all else that is known of it. */
export const leftOf = ({ delayMs, rights, bare, expiryMs, due }: LeftWill & { readonly due: number }) => ({
  delayMs,
  rights,
  bare,
  expiryMs,
  due,
});

/** Members without those that are undefined. */
const membersOf = (members: Readonly<Record<string, string | number | undefined>>): JsonObject =>
  Object.fromEntries(Object.entries(members).filter((member): member is [string, string | number] => member[1] !== undefined));
