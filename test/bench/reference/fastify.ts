import { fastify } from "fastify";
import pg from "pg";

// The three workloads as someone who knows Fastify would write them: schemas for what comes in and what goes out, async handlers, a pool.

const app = fastify();
const pool = new pg.Pool({ connectionString: process.env.BENCH_DATABASE });
// The pool drops an idle connection that was lost; without a listener the process would end.
pool.on("error", () => undefined);

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

console.log(JSON.stringify({ msg: "listening", url: await app.listen({ host: "127.0.0.1", port: 0 }) }));
