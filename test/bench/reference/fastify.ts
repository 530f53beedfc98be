import { createHmac, timingSafeEqual } from "node:crypto";
import { createVerifier } from "fast-jwt";
import { parse } from "csv-parse/sync";
import { fastify } from "fastify";
import pg from "pg";
import { Pool } from "undici";
import { callTool } from "./mcp.ts";
import { type Sale, summaries } from "./summaries.ts";

// The workloads as someone who knows Fastify would write them: schemas for what comes in and what goes out, async handlers, pools.

const app = fastify({ bodyLimit: 4 << 20 });
const pool = new pg.Pool({ connectionString: process.env.BENCH_DATABASE });
// The pool drops an idle connection that was lost; without a listener the process would end.
pool.on("error", () => undefined);

const upstream = new Pool(process.env.BENCH_UPSTREAM ?? "", { connections: 64 });

async function get<T>(path: string): Promise<T> {
  const { body } = await upstream.request({ method: "GET", path });
  return (await body.json()) as T;
}

const text = { type: "string" };
const integer = { type: "integer" };
const number = { type: "number" };
const list = (items: object) => ({ type: "array", items });
const record = (properties: Record<string, object>) => ({ type: "object", properties });

app.get(
  "/w1",
  {
    schema: {
      response: { 200: record({ message: text, service: text, version: integer, ok: { type: "boolean" }, tags: list(text) }) },
    },
  },
  async () => ({ message: "hello", service: "orders", version: 3, ok: true, tags: ["a", "b"] }),
);

interface Account {
  id: number;
  email: string;
  name: string;
}

app.post<{ Body: Account }>(
  "/w2",
  {
    schema: {
      body: {
        type: "object",
        required: ["id", "email", "name", "age", "plan"],
        properties: {
          id: integer,
          email: { type: "string", pattern: "^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$" },
          name: { type: "string", minLength: 1 },
          age: { type: "integer", minimum: 18, maximum: 120 },
          plan: { type: "string", pattern: "^(free|pro|team)$" },
        },
      },
      response: { 200: record({ user_id: integer, mail: text, name: text }) },
    },
  },
  async ({ body: { id, email, name } }) => ({ user_id: id, mail: email, name }),
);

interface StockItem {
  id: number;
  name: string;
  price: number;
  qty: number;
  category: string;
  note: string;
}

app.get(
  "/w3",
  {
    schema: {
      response: {
        200: list(record({ id: integer, name: text, unit_price: number, qty: integer, category: text, note: text, source: text })),
      },
    },
  },
  async () => {
    const { data } = await get<{ data: { items: StockItem[] } }>("/items");
    return data.items.map(({ price, ...rest }) => ({ ...rest, unit_price: price, source: "stub" }));
  },
);

app.get<{ Querystring: { user: string } }>("/w4", async ({ query }) => {
  const id = encodeURIComponent(query.user);
  const preferences = get<object>(`/prefs?user=${id}`);
  const user = await get<{ team_id: number }>(`/user/${id}`);
  const [team, prefs] = await Promise.all([get<object>(`/team/${user.team_id}`), preferences]);
  return { user, team, prefs };
});

interface Line {
  sku: string;
  qty: number;
}

app.post<{ Body: { items: Line[] } }>(
  "/w5",
  { schema: { response: { 200: list(record({ sku: text, qty: integer, price: number, total: number })) } } },
  async ({ body: { items } }) => {
    const out = new Array<object>(items.length);
    let next = 0;
    const work = async (): Promise<void> => {
      for (let i = next++; i < items.length; i = next++) {
        const { sku = "", qty = 0 } = items[i] ?? {};
        const { price } = await get<{ price: number }>(`/price/${encodeURIComponent(sku)}`);
        out[i] = { sku, qty, price, total: price * qty };
      }
    };
    await Promise.all(Array.from({ length: 10 }, work));
    return out;
  },
);

interface Item {
  id: number;
  name: string;
  price: number;
  qty: number;
  total: number;
}

app.get<{ Querystring: { cat: number } }>(
  "/w6",
  {
    schema: {
      querystring: record({ cat: integer }),
      response: { 200: list(record({ id: integer, name: text, unit_price: number, qty: integer, total: number })) },
    },
  },
  async ({ query: { cat } }) => {
    const { rows } = await pool.query<Item>({
      name: "items",
      text: "select id, name, price, qty, cat, price * qty as total from items where cat = $1 order by id limit 10",
      values: [cat],
    });
    return rows.map(({ id, name, price, qty, total }) => ({ id, name, unit_price: price, qty, total }));
  },
);

app.post<{ Body: { rows: Sale[] } }>("/w8", async ({ body: { rows } }) => summaries(rows));

const key = process.env.BENCH_KEY ?? "";
const verify = createVerifier({ key, algorithms: ["HS256"], cache: false });

/** A signature is over the bytes as they came. */
app.register(async (signed) => {
  signed.removeContentTypeParser("application/json");
  signed.addContentTypeParser<Buffer>("application/json", { parseAs: "buffer" }, (_, body, done) => done(null, body));
  signed.post<{ Body: Buffer }>(
    "/w7",
    { schema: { response: { 200: record({ ok: { type: "boolean" }, sub: text, amount: number }) } } },
    async ({ headers, body }, reply) => {
      let claims: { sub: string };
      try {
        claims = verify((headers.authorization ?? "").slice("Bearer ".length));
      } catch {
        return reply.code(401).send({ error: "invalid token" });
      }
      const expected = createHmac("sha256", key).update(body).digest();
      const given = Buffer.from(String(headers["x-signature"]), "hex");
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return reply.code(401).send({ error: "invalid signature" });
      const { amount }: { amount: number } = JSON.parse(body.toString());
      return { ok: true, sub: claims.sub, amount };
    },
  );
});

app.post("/mcp", async ({ headers, body }, reply) => {
  const answer = await callTool(headers, body);
  return reply.code(answer.status).header("content-type", "application/json").send(answer.body);
});

app.addContentTypeParser<string>("text/csv", { parseAs: "string" }, (_, body, done) => done(null, body));
app.post<{ Body: string }>("/w12", async ({ body }) => parse(body, { columns: true, bom: true, skip_empty_lines: true }));

console.log(JSON.stringify({ msg: "listening", url: await app.listen({ host: "127.0.0.1", port: 0 }) }));
