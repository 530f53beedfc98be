import { createHash } from "node:crypto";
import type { Statement } from "../store/postgres-batch.ts";
import type { Heard, Keep, Kept } from "./bus.ts";
import { goneIn } from "./followers.ts";
import type { Sent } from "./local-bus.ts";

// The texts that the bus and the database exchange (design: one statement puts messages in order, stores them, and notifies).

/** The most bytes of a notification; the server takes less than 8,000. */
export const mostOfNotification = 7_900;

/** A message in a notification. Without a body, the body has to be read from the log. */
type Item = readonly [source: string, number: number, kind: string, body?: string, keep?: readonly Keep[]];

/** Messages with consecutive positions, the first at `first`. */
export interface Notification {
  readonly first: number;
  readonly items: readonly Item[];
}

/** The channel of the database on which the processes of one organisation and environment notify each other. */
export const channelOf = (schema: string, organisation: string, environment: string): string =>
  `pw_bus_${createHash("sha256")
    .update(JSON.stringify([schema, organisation, environment]))
    .digest("hex")
    .slice(0, 40)}`;

export function readNotification(payload: string): Notification {
  const gap = payload.indexOf(" ");
  // Only processes of this program notify on the channel.
  return { first: Number(payload.slice(0, gap)), items: JSON.parse(payload.slice(gap + 1)) as readonly Item[] };
}

/**
 * Writes characters beyond ASCII as escapes, because a database with an encoding other than UTF-8 may not have these characters. All of
 * them stand in strings of JSON.
 */
export const plain = (json: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the first range is all of ASCII
  json.replace(/[^\x00-\x7f]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** Statements that put messages in order and tell all listeners, as one transaction. `encode` makes texts fit for the database. */
export function publishing(channel: string, messages: readonly Sent[], encode: (json: string) => string): readonly Statement[] {
  const packed = pack(messages, encode);
  return [
    { text: order, values: [channel] },
    {
      text: publish,
      values: [
        channel,
        list(messages.map(({ source }) => source)),
        list(messages.map(({ number }) => number)),
        list(messages.map(({ kind }) => kind)),
        list(messages.map(({ body }) => encode(body))),
        list(messages.map(({ keep }) => (keep === undefined ? null : encode(JSON.stringify(keep))))),
        list(packed.map(({ first }) => first)),
        list(packed.map(({ payload }) => payload)),
      ],
    },
    ...keeping(channel, messages, encode),
  ];
}

/** Only one node at a time assigns positions: without the lock two nodes could assign the same one. */
const order = "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))";

/** An empty log starts from the time in microseconds, which is greater than every position before it. */
const publish = `WITH base AS (
    SELECT coalesce(max(position), (extract(epoch FROM clock_timestamp()) * 1000000)::bigint) AS at FROM pw_bus_log WHERE channel = $1
  ), logged AS (
    INSERT INTO pw_bus_log (channel, position, source, number, kind, body, keep)
    SELECT $1, base.at + m.i, m.source, m.number, m.kind, m.body, m.keep
    FROM base, unnest($2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[]) WITH ORDINALITY AS m (source, number, kind, body, keep, i)
  )
  SELECT pg_notify($1, (base.at + p.first)::text || ' ' || p.payload) FROM base, unnest($7::bigint[], $8::text[]) AS p (first, payload)`;

/** Packs messages into notifications; `first` counts them from 1. */
function pack(
  messages: readonly Sent[],
  encode: (json: string) => string,
): readonly { readonly first: number; readonly payload: string }[] {
  const packed: { first: number; payload: string }[] = [];
  let first = 1;
  let items: string[] = [];
  let bytes = 0;
  const close = (): void => {
    if (items.length > 0) packed.push({ first, payload: `[${items.join(",")}]` });
    first += items.length;
    [items, bytes] = [[], 0];
  };
  for (const message of messages) {
    const item = itemOf(message, encode);
    const size = Buffer.byteLength(item) + 1;
    // The position and a blank stand before the items; 24 bytes are reserved for them.
    if (bytes + size > mostOfNotification - 24) close();
    items.push(item);
    bytes += size;
  }
  close();
  return packed;
}

function itemOf({ source, number, kind, body, keep }: Sent, encode: (json: string) => string): string {
  const head: Item = [source, number, kind];
  if (body.length < mostOfNotification) {
    const whole = encode(JSON.stringify([...head, body, ...(keep === undefined ? [] : [keep])]));
    if (Buffer.byteLength(whole) <= mostOfNotification - 32) return whole;
  }
  return encode(JSON.stringify(head));
}

/** A message that is kept under a key, with its place among the messages of the statement. */
interface KeptMessage {
  readonly sent: Sent;
  readonly keep: Keep;
  readonly place: number;
}

/** Statements that keep the last message of each key, and the last messages of each ring. */
function keeping(channel: string, messages: readonly Sent[], encode: (json: string) => string): readonly Statement[] {
  const last = new Map<string, KeptMessage>();
  const rings: KeptMessage[] = [];
  for (const [i, sent] of messages.entries()) {
    for (const keep of sent.keep ?? []) {
      const one = { sent, keep, place: i + 1 };
      if (keep.depth === undefined) last.set(idOf(sent.kind, keep.key), one);
      else rings.push(one);
    }
  }
  const set = [...last].filter(([, { keep }]) => !keep.drops);
  const dropped = [...last].flatMap(([id, { keep }]) => (keep.drops ? [id] : []));
  const head = [channel, messages.length];
  return [
    ...(set.length === 0 ? [] : [{ text: keepLast, values: [...head, ...lastValues(set, encode)] }]),
    ...(dropped.length === 0
      ? []
      : [{ text: "DELETE FROM pw_bus_kept WHERE channel = $1 AND id = ANY ($2::text[])", values: [channel, list(dropped)] }]),
    ...(rings.length === 0 ? [] : [{ text: keepRings, values: [...head, ...ringValues(rings, encode)] }]),
    ...messages.flatMap((message) => leaving(channel, message)),
  ];
}

/** The values of `keepLast` after the channel and the length. */
const lastValues = (set: readonly (readonly [id: string, KeptMessage])[], encode: (json: string) => string): readonly string[] => [
  list(set.map(([id]) => id)),
  list(set.map(([, { sent }]) => sent.kind)),
  list(set.map(([, { keep }]) => encode(JSON.stringify(keep.key)))),
  list(set.map(([, { place }]) => place)),
  list(set.map(([, { sent, keep }]) => (keep.owned || keep.outlives ? sent.source : ""))),
  list(set.map(([, { keep }]) => (keep.outlives ? 1 : 0))),
  list(set.map(([, { sent }]) => encode(sent.body))),
];

/** The values of `keepRings` after the channel and the length. */
const ringValues = (rings: readonly KeptMessage[], encode: (json: string) => string): readonly string[] => [
  list(rings.map(({ sent }) => sent.kind)),
  list(rings.map(({ keep }) => encode(JSON.stringify(keep.key)))),
  list(rings.map(({ place }) => place)),
  list(rings.map(({ keep }) => keep.depth ?? 0)),
  list(rings.map(({ sent }) => sent.source)),
  list(rings.map(({ sent }) => encode(sent.body))),
];

/** The id of a key, which may itself be too long for an index. The key is stored as JSON, because it may hold any character. */
export const idOf = (kind: string, key: string): string =>
  createHash("sha256")
    .update(JSON.stringify([kind, key]))
    .digest("base64url");

const newest = "(SELECT max(position) FROM pw_bus_log WHERE channel = $1) - $2::bigint";

const keepLast = `INSERT INTO pw_bus_kept (channel, id, kind, key, position, owner, outlives, body)
  SELECT $1, m.id, m.kind, m.key, ${newest} + m.place, m.owner, m.outlives, m.body
  FROM unnest($3::text[], $4::text[], $5::text[], $6::bigint[], $7::text[], $8::bigint[], $9::text[])
    AS m (id, kind, key, place, owner, outlives, body)
  ON CONFLICT (channel, id) DO UPDATE SET position = EXCLUDED.position, owner = EXCLUDED.owner, outlives = EXCLUDED.outlives,
    body = EXCLUDED.body`;

const keepRings = `INSERT INTO pw_bus_rings (channel, kind, key, position, depth, source, body)
  SELECT $1, m.kind, m.key, ${newest} + m.place, m.depth, m.source, m.body
  FROM unnest($3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::text[], $8::text[]) AS m (kind, key, place, depth, source, body)`;

/** True for rows that the process or one of its workers owns. */
const ofSource = "channel = $1 AND (owner = $2 OR starts_with(owner, $2 || '.'))";

function leaving(channel: string, message: Sent): readonly Statement[] {
  const notice = goneIn(message);
  if (notice === undefined) return [];
  const { gone, heir } = notice;
  return [
    { text: `DELETE FROM pw_bus_kept WHERE ${ofSource} AND outlives = 0`, values: [channel, gone] },
    ...(heir === undefined ? [] : [{ text: `UPDATE pw_bus_kept SET owner = $3 WHERE ${ofSource}`, values: [channel, gone, heir] }]),
    { text: "DELETE FROM pw_bus_nodes WHERE channel = $1 AND source = $2", values: [channel, gone] },
  ];
}

/** An array in the text form of the database. */
function list(values: readonly (string | number | null)[]): string {
  const texts = values.map((value) => {
    if (value === null) return "NULL";
    return typeof value === "number" ? String(value) : `"${value.replace(/["\\]/g, "\\$&")}"`;
  });
  return `{${texts.join(",")}}`;
}

type Row = Readonly<Record<string, string | null>>;

export const readLog = `SELECT position, source, number, kind, body, keep FROM pw_bus_log
  WHERE channel = $1 AND position > $2::bigint AND position <= $3::bigint ORDER BY position LIMIT 5000`;

/** A message that was sent twice is given once, with its first position. */
export const readLogOf = `SELECT position, source, number, kind, body, keep FROM (
    SELECT *, row_number() OVER (PARTITION BY source, number ORDER BY position) AS copy FROM pw_bus_log WHERE channel = $1
  ) AS log WHERE copy = 1 AND position > $2::bigint AND kind = $3 ORDER BY position`;

export const heardOf = (row: Row): Heard => ({
  position: Number(row.position),
  source: row.source ?? "",
  number: Number(row.number),
  kind: row.kind ?? "",
  body: row.body ?? "",
  ...(row.keep ? { keep: JSON.parse(row.keep) as Keep[] } : {}),
  when: "usual",
});

export const readKept = "SELECT kind, key, position, owner, outlives, body FROM pw_bus_kept WHERE channel = $1 ORDER BY position";

/** The newest messages of the rings, up to the bytes that a process keeps. */
export const readRings = `SELECT kind, key, position, depth, body FROM (
    SELECT *, sum(length(body) + 128) OVER (ORDER BY position DESC) AS size,
      row_number() OVER (PARTITION BY kind, key ORDER BY position DESC) AS age FROM pw_bus_rings WHERE channel = $1
  ) AS rings WHERE size <= 67108864 AND age <= depth ORDER BY position`;

/** Removes messages of rings that no process would keep. */
export const trimRings = `DELETE FROM pw_bus_rings USING (
    SELECT kind, key, position, depth, sum(length(body) + 128) OVER (ORDER BY position DESC) AS size,
      row_number() OVER (PARTITION BY kind, key ORDER BY position DESC) AS age FROM pw_bus_rings WHERE channel = $1
  ) AS old WHERE pw_bus_rings.channel = $1 AND pw_bus_rings.position = old.position AND (old.size > 67108864 OR old.age > old.depth)`;

export const keptOf = (row: Row): Kept => ({
  kind: row.kind ?? "",
  body: row.body ?? "",
  position: Number(row.position),
  owner: row.owner ?? "",
  keep: {
    key: JSON.parse(row.key ?? '""') as string,
    ...(row.owner ? { owned: true } : {}),
    ...(Number(row.outlives ?? 0) === 1 ? { outlives: true } : {}),
    ...(row.depth == null ? {} : { depth: Number(row.depth) }),
  },
});
