import type { OutgoingHttpHeaders } from "node:http";
import { expect } from "vitest";
import { isObject, type Json, type JsonObject } from "#runtime/value/json.ts";
import { type Got, send } from "../../harness/sockets.ts";

/** One call of a README, and what it and the schema promise for it. */
export interface Call {
  readonly does: string;
  readonly method: string;
  readonly path: string;
  readonly body?: Json;
  /** Default 200. */
  readonly status?: number;
  /** The entries of the envelope, without `time.ms`, in their order. */
  readonly gives: Readonly<Record<string, unknown>>;
  /** Rows of a list go by their age; those made at the same time may come in any order, and are promised here by their names. */
  readonly order?: "newest first" | "oldest first";
  /** How many rows the tables hold afterwards: users, posts, comments. */
  readonly rows?: readonly [users: number, posts: number, comments: number];
}

/** An entry whose data is hidden, or absent, and whose tests have passed. */
export const passed = { message: "success" } as const;

/** An entry with data, of an action with tests and of one without. */
export const tested = (data: unknown) => ({ data, ...passed });
export const untested = (data: unknown) => ({ data });

/** An action that was refused by the gate before it: `name` is the one that failed. */
export const gated = (name: string) => ({ data: null, error: `action '${name}' did not succeed` });

/** A time that the database has made: ISO 8601, UTC. */
export const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/);

/** The id of the first post of the sample data, for use in a body. */
export const firstPost = "the id of the first post";

export function ask(
  url: string,
  { method, path, body }: Pick<Call, "method" | "path" | "body">,
  more: OutgoingHttpHeaders = {},
): Promise<Got> {
  if (body === undefined) return send(url, path, { method, headers: more });
  const text = JSON.stringify(body);
  // Node's client does not tell the length of what a DELETE carries.
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(text), ...more };
  return send(url, path, { method, headers, body: text });
}

/** Compares an answer with its promise: status, type, names and order of the entries, and their contents. */
export function expectPromised({ status = 200, gives, order }: Pick<Call, "status" | "gives" | "order">, got: Got): void {
  expect(got.status, got.text).toBe(status);
  expect(got.headers["content-type"]).toBe("application/json");
  const { data, ...rest }: { data: Readonly<Record<string, JsonObject>> } = JSON.parse(got.text);
  expect(rest).toEqual({});
  expect(Object.keys(data)).toEqual(Object.keys(gives));
  for (const [name, entry] of Object.entries(data)) {
    const { "time.ms": ms, ...left } = entry;
    expect(ms, name).toEqual(expect.any(Number));
    if (order !== undefined && Array.isArray(left.data)) {
      expectAges(left.data, order);
      left.data = sorted(left.data, (row) => String(row.username ?? row.title ?? row.body));
    }
    expect(left, name).toEqual(gives[name]);
  }
}

function expectAges(rows: readonly Json[], order: Call["order"]): void {
  const times = rows.filter((row) => isObject(row)).map(({ created_at }) => String(created_at));
  const byAge = times.toSorted();
  expect(times).toEqual(order === "oldest first" ? byAge : byAge.reverse());
}

function sorted(rows: readonly Json[], key: (row: JsonObject) => string): Json[] {
  const keyOf = (row: Json): string => (isObject(row) ? key(row) : "");
  return rows.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

/**
 * The text of an answer in which nothing is left that two runs may disagree about: durations, and the times and numbers that the database
 * gives, with the order of rows made at one time. The rest is byte for byte as it was sent.
 */
export function comparable({ status, headers, text }: Got): string {
  const sent: Json = JSON.parse(text);
  // Else reading and writing again would hide a difference.
  expect(JSON.stringify(sent)).toBe(text);
  return `${status} ${headers["content-type"]} ${JSON.stringify(withoutChance(sent))}`;
}

function withoutChance(value: Json, key = ""): Json {
  if (Array.isArray(value))
    return sorted(
      value.map((item) => withoutChance(item)),
      (row) => JSON.stringify(row),
    );
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withoutChance(item, name)]));
  return /^(?:id|post_id|time\.ms|created_at|updated_at)$/.test(key) ? `a ${typeof value}` : value;
}
