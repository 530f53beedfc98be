import { createHmac } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Shot } from "./load.ts";

/** One request that all systems answer alike. */
export interface Workload extends Shot {
  readonly title: string;
  readonly needsDatabase?: true;
  /** Instead of the number of the command line, for requests that are large. */
  readonly connections?: number;
  /** Says whether an answer is right: the data of the action `Reply`, or the whole body of a server without an envelope. */
  readonly isRight: (data: unknown) => boolean;
}

/** The key of tokens and signatures in W7. */
export const key = "a benchmark has nothing to hide, 32 bytes";

const json = { "content-type": "application/json" };

const account = {
  id: 42,
  email: "ada@example.com",
  name: "Ada Lovelace",
  age: 36,
  plan: "pro",
  source: "web",
  utm: { campaign: 1, medium: "mail" },
};

const cart = JSON.stringify({ items: Array.from({ length: 20 }, (_, i) => ({ sku: `s${i * 3}`, qty: (i % 4) + 1 })) });
const order = JSON.stringify({ order: "o-1001", amount: 129.5, currency: "EUR", lines: [1, 2, 3] });

const digest = (text: string, encoding: "hex" | "base64url"): string => createHmac("sha256", key).update(text).digest(encoding);

function token(claims: object): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const signed = `${part({ alg: "HS256", typ: "JWT" })}.${part(claims)}`;
  return `${signed}.${digest(signed, "base64url")}`;
}

/** Rows of a megabyte of JSON: two thirds are active, in five regions. */
function sales(): string {
  const regions = ["north", "south", "east", "west", "centre"];
  const rows = Array.from({ length: 9_300 }, (_, i) => ({
    id: i,
    region: regions[i % 5],
    status: i % 3 === 0 ? "closed" : "active",
    amount: ((i * 7919) % 100_000) / 100,
    customer: `Customer number ${i}`,
  }));
  return JSON.stringify({ rows });
}

/** A megabyte of CSV, of which one cell in ten is in quotes. */
function table(): string {
  const rows = Array.from({ length: 12_500 }, (_, i) => {
    const customer = i % 2 === 0 ? `"Customer, number ${i}"` : `Customer number ${i}`;
    return `${i},${["north", "south", "east"][i % 3]},${i % 3 === 0 ? "closed" : "active"},${((i * 7919) % 100_000) / 100},${customer},note of row ${i}, as it came\n`;
  });
  return `id,region,status,amount,customer,note,more\n${rows.join("")}`;
}

/** A call of a tool in the version of the protocol that has no sessions. */
const call = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: {
    name: "w11",
    arguments: { sku: "s-7", quantity: 3 },
    _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} },
  },
});

const isList = (data: unknown, length: number): data is readonly unknown[] => Array.isArray(data) && data.length === length;

export const workloads = {
  w1: {
    title: "static answer",
    method: "GET",
    path: "/w1",
    headers: {},
    isRight: (data) => isDeepStrictEqual(data, { message: "hello", service: "orders", version: 3, ok: true, tags: ["a", "b"] }),
  },
  w2: {
    title: "validate and echo",
    method: "POST",
    path: "/w2",
    headers: json,
    body: JSON.stringify(account),
    isRight: (data) => isDeepStrictEqual(data, { user_id: account.id, mail: account.email, name: account.name }),
  },
  w3: {
    title: "one call, 100 rows",
    method: "GET",
    path: "/w3",
    headers: {},
    isRight: (data) =>
      isList(data, 100) &&
      isDeepStrictEqual(data[3], {
        id: 4,
        name: "Item 4",
        unit_price: 28.75,
        qty: 4,
        category: "food",
        note: "note for item 4",
        source: "stub",
      }),
  },
  w4: {
    title: "three calls, two at once",
    method: "GET",
    path: "/w4?user=7",
    headers: {},
    isRight: (data) =>
      isDeepStrictEqual(data, {
        user: { id: 7, name: "User 7", email: "u7@example.com", team_id: 2 },
        team: { id: 2, title: "Team 2", members: [1, 2, 3] },
        prefs: { user: 7, theme: "dark", lang: "en", alerts: true },
      }),
  },
  w5: {
    title: "lookup over 20",
    method: "POST",
    path: "/w5",
    headers: json,
    body: cart,
    isRight: (data) => isList(data, 20) && isDeepStrictEqual(priceOf(data[2]), { sku: "s6", qty: 3, price: 8, total: 24 }),
  },
  w6: {
    title: "10 rows of PostgreSQL",
    method: "GET",
    path: "/w6?cat=3",
    headers: {},
    needsDatabase: true,
    isRight: (data) => isList(data, 10) && isDeepStrictEqual(data[0], { id: 3, name: "Item 3", unit_price: 28.75, qty: 4, total: 115 }),
  },
  w7: {
    title: "JWT and HMAC",
    method: "POST",
    path: "/w7",
    headers: {
      ...json,
      authorization: `Bearer ${token({ sub: "user-7", role: "admin", iat: 1_700_000_000, exp: 4_102_444_800 })}`,
      "x-signature": digest(order, "hex"),
    },
    body: order,
    isRight: (data) => isDeepStrictEqual(data, { ok: true, sub: "user-7", amount: 129.5 }),
  },
  w8: {
    title: "1 MB, filtered and grouped",
    method: "POST",
    path: "/w8",
    headers: json,
    body: sales(),
    connections: 8,
    isRight: (data) => isDeepStrictEqual(summaryOf(data), ["east 1118", "centre 1114", "north 1119", "west 1116", "south 1113"]),
  },
  w11: {
    title: "call of a tool (MCP)",
    method: "POST",
    path: "/mcp",
    headers: {
      ...json,
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "w11",
    },
    body: call,
    isRight: (data) => isDeepStrictEqual(resultOf(data), { sku: "s-7", quantity: 3, open: true }),
  },
  w12: {
    title: "1 MB of CSV to rows",
    method: "POST",
    path: "/w12",
    headers: { "content-type": "text/csv" },
    body: table(),
    connections: 8,
    isRight: (data) =>
      isList(data, 12_500) &&
      isDeepStrictEqual(data[2], {
        id: "2",
        region: "east",
        status: "active",
        amount: "158.38",
        customer: "Customer, number 2",
        note: "note of row 2",
        more: " as it came",
      }),
  },
} as const satisfies Record<string, Workload>;

/** Regions and how many sales each has; sums are rounded differently by those who round. */
function summaryOf(data: unknown): unknown {
  const { groups } = data as { groups?: readonly { region: string; count: number }[] };
  return groups?.map(({ region, count }) => `${region} ${count}`);
}

/** The result of a tool: the text of its content, which must be its structured content as well. */
function resultOf(data: unknown): unknown {
  const { result } = data as { result?: { content?: readonly { text?: string }[]; structuredContent?: unknown } };
  const given = JSON.parse(result?.content?.[0]?.text ?? "null");
  return isDeepStrictEqual(given, result?.structuredContent) ? given : undefined;
}

/** An item of a lookup comes in the envelope of its own run (spec/language 4); a server written by hand has none. */
function priceOf(item: unknown): unknown {
  const entry = (item as { data?: { Price?: { data?: unknown } } }).data?.Price;
  return entry === undefined ? item : entry.data;
}

export type WorkloadName = keyof typeof workloads;
