import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import pg from "pg";

// The floor: the three workloads on nothing but node:http, each doing only what its answer needs.

const pool = new pg.Pool({ connectionString: process.env.BENCH_DATABASE });
// The pool drops an idle connection that was lost; without a listener the process would end.
pool.on("error", () => undefined);

function send(response: ServerResponse, status: number, value: unknown): void {
  const body = JSON.stringify(value);
  response.writeHead(status, ["content-type", "application/json", "content-length", String(Buffer.byteLength(body))]);
  response.end(body);
}

function read(request: IncomingMessage, done: (body: string) => void): void {
  let body = "";
  request.setEncoding("utf8");
  request.on("data", (chunk) => {
    body += chunk;
  });
  request.on("end", () => done(body));
}

function w1(response: ServerResponse): void {
  send(response, 200, { message: "hello", service: "orders", version: 3, ok: true, tags: ["a", "b"] });
}

const email = /^[^@\s]+@[^@\s]+\.[^@\s]+$/;
const plan = /^(free|pro|team)$/;

function w2(response: ServerResponse, body: string): void {
  let given: Record<string, unknown>;
  try {
    given = JSON.parse(body);
  } catch {
    return send(response, 400, { error: "invalid JSON" });
  }
  const fits =
    given.id !== undefined &&
    typeof given.email === "string" &&
    email.test(given.email) &&
    typeof given.name === "string" &&
    given.name.length > 0 &&
    typeof given.age === "number" &&
    given.age >= 18 &&
    given.age <= 120 &&
    typeof given.plan === "string" &&
    plan.test(given.plan);
  if (!fits) return send(response, 400, { error: "invalid account" });
  send(response, 200, { user_id: given.id, mail: given.email, name: given.name });
}

async function w6(response: ServerResponse, category: number): Promise<void> {
  const { rows } = await pool.query({
    name: "items",
    text: "select id, name, price, qty, cat, price * qty as total from items where cat = $1 order by id limit 10",
    values: [category],
  });
  send(
    response,
    200,
    rows.map(({ id, name, price, qty, total }) => ({ id, name, unit_price: price, qty, total })),
  );
}

const server = createServer((request, response) => {
  const { method, url = "/" } = request;
  if (method === "GET" && url === "/w1") w1(response);
  else if (method === "POST" && url === "/w2") read(request, (body) => w2(response, body));
  else if (method === "GET" && url.startsWith("/w6?cat=")) {
    w6(response, Number(url.slice("/w6?cat=".length))).catch(() => send(response, 500, { error: "database" }));
  } else send(response, 404, { error: "not found" });
});

server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo; // it listens on a port, not on a pipe
  console.log(JSON.stringify({ msg: "listening", url: `http://127.0.0.1:${port}` }));
});
