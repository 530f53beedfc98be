import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { parse } from "csv-parse/sync";
import { createVerifier } from "fast-jwt";
import pg from "pg";
import { Pool } from "undici";
import { callTool } from "./mcp.ts";
import { summaries } from "./summaries.ts";

// The floor: the workloads on nothing but node:http, each doing only what its answer needs.

const pool = new pg.Pool({ connectionString: process.env.BENCH_DATABASE });
// The pool drops an idle connection that was lost; without a listener the process would end.
pool.on("error", () => undefined);

const upstream = new Pool(process.env.BENCH_UPSTREAM ?? "", { connections: 64 });

async function get<T>(path: string): Promise<T> {
  const { body } = await upstream.request({ method: "GET", path });
  return (await body.json()) as T;
}

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

interface StockItem {
  id: number;
  name: string;
  price: number;
  qty: number;
  category: string;
  note: string;
}

async function w3(response: ServerResponse): Promise<void> {
  const { data } = await get<{ data: { items: StockItem[] } }>("/items");
  send(
    response,
    200,
    data.items.map(({ id, name, price, qty, category, note }) => ({ id, name, unit_price: price, qty, category, note, source: "stub" })),
  );
}

async function w4(response: ServerResponse, id: string): Promise<void> {
  const preferences = get(`/prefs?user=${id}`);
  const user = await get<{ team_id: number }>(`/user/${id}`);
  const [team, prefs] = await Promise.all([get(`/team/${user.team_id}`), preferences]);
  send(response, 200, { user, team, prefs });
}

async function w5(response: ServerResponse, body: string): Promise<void> {
  const { items }: { items: { sku: string; qty: number }[] } = JSON.parse(body);
  const out = new Array<object>(items.length);
  let next = 0;
  const work = async (): Promise<void> => {
    for (let i = next++; i < items.length; i = next++) {
      const { sku = "", qty = 0 } = items[i] ?? {};
      const { price } = await get<{ price: number }>(`/price/${sku}`);
      out[i] = { sku, qty, price, total: price * qty };
    }
  };
  await Promise.all(Array.from({ length: 10 }, work));
  send(response, 200, out);
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

const key = process.env.BENCH_KEY ?? "";
const verify = createVerifier({ key, algorithms: ["HS256"], cache: false });

function w7({ headers }: IncomingMessage, response: ServerResponse, body: string): void {
  let claims: { sub: string };
  try {
    claims = verify((headers.authorization ?? "").slice("Bearer ".length));
  } catch {
    return send(response, 401, { error: "invalid token" });
  }
  const expected = createHmac("sha256", key).update(body).digest();
  const given = Buffer.from(String(headers["x-signature"]), "hex");
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return send(response, 401, { error: "invalid signature" });
  const { amount }: { amount: number } = JSON.parse(body);
  send(response, 200, { ok: true, sub: claims.sub, amount });
}

async function w11(request: IncomingMessage, response: ServerResponse, body: string): Promise<void> {
  const answer = await callTool(request.headers, JSON.parse(body));
  response.writeHead(answer.status, ["content-type", "application/json", "content-length", String(Buffer.byteLength(answer.body))]);
  response.end(answer.body);
}

function w12(response: ServerResponse, body: string): void {
  let rows: unknown;
  try {
    rows = parse(body, { columns: true, bom: true, skip_empty_lines: true });
  } catch {
    return send(response, 400, { error: "invalid CSV" });
  }
  send(response, 200, rows);
}

const server = createServer((request, response) => {
  const { method, url = "/" } = request;
  const route = `${method} ${url.split("?", 1)[0]}`;
  const after = (prefix: string): string => url.slice(prefix.length);
  const failed = (): void => send(response, 500, { error: "upstream or database" });
  if (route === "GET /w1") w1(response);
  else if (route === "POST /w2") read(request, (body) => w2(response, body));
  else if (route === "GET /w3") w3(response).catch(failed);
  else if (route === "GET /w4") w4(response, after("/w4?user=")).catch(failed);
  else if (route === "POST /w5") read(request, (body) => void w5(response, body).catch(failed));
  else if (route === "GET /w6") w6(response, Number(after("/w6?cat="))).catch(failed);
  else if (route === "POST /w7") read(request, (body) => w7(request, response, body));
  else if (route === "POST /w8") read(request, (body) => send(response, 200, summaries(JSON.parse(body).rows)));
  else if (route === "POST /mcp") read(request, (body) => void w11(request, response, body).catch(failed));
  else if (route === "POST /w12") read(request, (body) => w12(response, body));
  else send(response, 404, { error: "not found" });
});

server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo; // it listens on a port, not on a pipe
  console.log(JSON.stringify({ msg: "listening", url: `http://127.0.0.1:${port}` }));
});
