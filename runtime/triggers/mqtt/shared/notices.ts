import type { Keep } from "../../../bus/bus.ts";
import { parseJson } from "../../../formats/json-text.ts";
import { isObject, type Json, type JsonObject } from "../../../value/json.ts";
import { limits } from "../limits.ts";
import { type Message, sizeOf } from "../message.ts";
import { type Clock, readMessage, storedMessage } from "../stored-message.ts";
import { isTopicName } from "../topics.ts";

/** The kind of all messages of the broker on the bus. */
export const kind = "mqtt";

/** The rights of a client, with which another process publishes its will. */
export type Rights = "key" | "jwt" | "anonymous";

/** A will that another process may have to publish. */
export interface LeftWill {
  readonly delayMs: number;
  readonly rights: Rights;
  readonly bare: Message;
  readonly expiryMs: number | undefined;
}

/** A session as its client has opened it. Each opening has another `name`. */
interface Named {
  readonly key: string;
  readonly name: string;
}

/** A message to the subscribers of all processes; with `will` it is the will of the session with this name. */
export interface Published {
  readonly t: "message";
  readonly message: Message;
  /** The number of the message in its process. */
  readonly number?: number;
  readonly will?: string;
  /** The shared subscription whose member alone gets the message. */
  readonly share?: string;
  /** True for a message that is retained, but not delivered. */
  readonly isRetainedOnly?: boolean;
}

export interface OpenedNotice extends Named {
  readonly t: "open";
  readonly keeps: boolean;
  readonly keptMs: number;
  /** The shared subscriptions of a session that continues, for processes that start later and know no earlier notice. */
  readonly texts?: readonly string[];
  readonly will?: LeftWill;
}

/** The client is away: the session is kept until `until`, and its will has a due time. */
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

/** A notice about MQTT from one process of a service to all of them. */
export type Notice =
  | Published
  | OpenedNotice
  | LeftNotice
  /** All shared subscriptions of a session. */
  | SharesNotice
  /** The session with this name has ended, or another client has it. */
  | (Named & { readonly t: "end" })
  /** The session is stored for the client that has opened it under this name. */
  | (Named & { readonly t: "given" });

/** The text of a shared subscription that stands for no receiver. */
const nobody = "";

/** The most characters of a key, which holds the scope of a credential and the name of a client. */
const longestKey = 2_048;

/** The most characters of a notice: those of the largest packet, as Base64 and with escapes. */
const longestBody = 2_097_152;

/** The notice as JSON text. */
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

/** Keys under which the bus keeps a notice for processes that start later. */
export const keepOf = {
  session: ({ key, name }: Named): string => JSON.stringify(["session", key, name]),
  shares: ({ key, name }: Named): string => JSON.stringify(["shares", key, name]),
  will: (name: string): string => JSON.stringify(["will", name]),
  retained: (topic: string): string => JSON.stringify(["retained", topic]),
} as const;

/** The kind of a kept notice, read from its key. */
export function roleOf({ key }: Keep): Role | undefined {
  const [role] = /^\["(session|shares|will|retained)"/.exec(key)?.slice(1) ?? [];
  return role as Role | undefined;
}

type Role = keyof typeof keepOf;

/** Reads a notice; undefined when no process of this program has written it. */
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

/** A message with all that other processes need of it; stored rows have the same form. */
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

/** The approximate bytes of a will in memory. */
export const sizeOfWill = ({ bare }: LeftWill): number => sizeOf(bare);

const isTime = (value: Json | undefined): value is number => typeof value === "number" && Number.isFinite(value) && value >= 0;

/** A will with its due time, without further fields. */
export const leftOf = ({ delayMs, rights, bare, expiryMs, due }: LeftWill & { readonly due: number }) => ({
  delayMs,
  rights,
  bare,
  expiryMs,
  due,
});

/** The members that are not undefined. */
const membersOf = (members: Readonly<Record<string, string | number | undefined>>): JsonObject =>
  Object.fromEntries(Object.entries(members).filter((member): member is [string, string | number] => member[1] !== undefined));
