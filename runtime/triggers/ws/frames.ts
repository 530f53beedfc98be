import { parseJson } from "../../formats/json-text.ts";
import { isObject, type Json, type JsonObject, own } from "../../value/json.ts";

/** An operation of a frame that is no run (spec/surfaces 3). */
export type Operation =
  | { readonly op: "subscribe"; readonly channels: readonly string[]; readonly history: number }
  | { readonly op: "unsubscribe"; readonly channels: readonly string[] }
  | { readonly op: "publish"; readonly channels: readonly string[]; readonly data: Json; readonly retain: boolean }
  | { readonly op: "presence_enter"; readonly channel: string; readonly id: string; readonly state: Json }
  | { readonly op: "presence_leave" | "presence_get"; readonly channel: string }
  | { readonly op: "ping"; readonly of: Json };

/** The content of a text frame. `id` is its `ap_id`, which every answer to the frame carries; undefined when it has none. */
export type Frame = { readonly id: Json | undefined } & (
  | { readonly kind: "run"; readonly body: Json }
  | { readonly kind: "operation"; readonly operation: Operation }
  | { readonly kind: "wrong"; readonly code: "invalid_frame" | "unknown_op"; readonly op: string }
);

/** The longest name of an operation that an error quotes; a longer name is certainly not one of the operations. */
const longestOp = 64;

const longestId = 256;

/** Reads a text frame. Keys that start with `ap_` are reserved: a frame holds one operation, and anything else is the body of a run. */
export function readFrame(text: string): Frame {
  const value = parseJson(text);
  if (value === undefined) return { kind: "wrong", id: undefined, code: "invalid_frame", op: "frame" };
  if (!isObject(value)) return { kind: "run", id: undefined, body: value };
  const id = own(value, "ap_id");
  const [key, second] = reservedIn(value);
  if (key === undefined) return { kind: "run", id, body: id === undefined ? value : without(value, "ap_id") };
  if (second !== undefined) return { kind: "wrong", id, code: "invalid_frame", op: "frame" };
  const op = key.slice("ap_".length, longestOp);
  const read = Object.hasOwn(readers, op) ? readers[op as Operation["op"]] : undefined; // one of the keys
  if (read === undefined) return { kind: "wrong", id, code: "unknown_op", op };
  const operation = read(own(value, key) ?? null, value);
  return operation === undefined ? { kind: "wrong", id, code: "invalid_frame", op } : { kind: "operation", id, operation };
}

/** The first reserved key of a frame, and the second one, if there are several. */
function reservedIn(frame: JsonObject): readonly [first?: string | undefined, second?: string] {
  let first: string | undefined;
  for (const key of Object.keys(frame)) {
    if (!key.startsWith("ap_") || key === "ap_id") continue;
    if (first !== undefined) return [first, key];
    first = key;
  }
  return [first];
}

const without = (value: JsonObject, key: string): JsonObject => Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));

/** Readers of operations. Each gives undefined when its frame is malformed. */
const readers: { readonly [Op in Operation["op"]]: (of: Json, frame: JsonObject) => Operation | undefined } = {
  subscribe: (of, frame) => {
    const channels = channelsOf(of);
    const history = own(frame, "history") ?? 0;
    if (channels === undefined || typeof history !== "number" || !Number.isSafeInteger(history) || history < 0) return undefined;
    return { op: "subscribe", channels, history };
  },
  unsubscribe: (of) => {
    const channels = channelsOf(of);
    return channels === undefined ? undefined : { op: "unsubscribe", channels };
  },
  publish: (of) => {
    if (!isObject(of)) return undefined;
    const channels = channelsOf(own(of, "channels") ?? null);
    const retain = own(of, "retain") ?? false;
    const data = own(of, "data");
    if (channels === undefined || channels.length === 0 || typeof retain !== "boolean" || data === undefined) return undefined;
    return { op: "publish", channels, data, retain };
  },
  presence_enter: (of) => {
    const channel = channelOf(of);
    const id = isObject(of) ? own(of, "id") : undefined;
    if (channel === undefined || typeof id !== "string" || id === "" || id.length > longestId || !id.isWellFormed()) return undefined;
    return { op: "presence_enter", channel, id, state: (isObject(of) ? own(of, "state") : undefined) ?? null };
  },
  presence_leave: (of) => {
    const channel = channelOf(of);
    return channel === undefined ? undefined : { op: "presence_leave", channel };
  },
  presence_get: (of) => {
    const channel = channelOf(of);
    return channel === undefined ? undefined : { op: "presence_get", channel };
  },
  ping: (of) => ({ op: "ping", of }),
};

/** Reads a channel or a list of channels, each once. */
function channelsOf(of: Json): readonly string[] | undefined {
  const list = typeof of === "string" ? [of] : of;
  if (!Array.isArray(list) || !list.every((one) => typeof one === "string")) return undefined;
  return [...new Set(list)];
}

function channelOf(of: Json): string | undefined {
  const channel = isObject(of) ? own(of, "channel") : undefined;
  return typeof channel === "string" ? channel : undefined;
}
