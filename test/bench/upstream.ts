import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

// The service that the systems under test call: bare node:http that sends prepared bytes, so that it costs little next to them.

const categories = ["tools", "toys", "books", "food", "music"];

const items = Array.from({ length: 100 }, (_, i) => ({
  id: i + 1,
  name: `Item ${i + 1}`,
  price: ((i * 37) % 500) / 4 + 1,
  qty: (i % 9) + 1,
  category: categories[i % 5],
  note: `note for item ${i + 1}`,
}));

const user = (id: number) => ({ id, name: `User ${id}`, email: `u${id}@example.com`, team_id: (id % 3) + 1 });
const team = (id: number) => ({ id, title: `Team ${id}`, members: [1, 2, 3] });
const preferences = (id: number) => ({ user: id, theme: "dark", lang: "en", alerts: true });
const price = (id: number) => ({ sku: `s${id}`, price: id * 1.25 + 0.5, currency: "EUR" });

const upTo = (count: number, of: (id: number) => object, path: string) =>
  Array.from({ length: count }, (_, id) => [`${path}${id}`, of(id)] as const);

const answers = new Map<string, Buffer>(
  [
    ["/items", { status: "ok", data: { items, total: items.length } }] as const,
    ...upTo(10, user, "/user/"),
    ...upTo(4, team, "/team/"),
    ...upTo(10, preferences, "/prefs?user="),
    ...upTo(100, price, "/price/s"),
  ].map(([path, value]) => [path, Buffer.from(JSON.stringify(value))]),
);

const missing = Buffer.from('{"error":"not found"}');

const server = createServer(({ url = "/" }, response) => {
  const body = answers.get(url);
  const sent = body ?? missing;
  response.writeHead(body === undefined ? 404 : 200, { "content-type": "application/json", "content-length": sent.length });
  response.end(sent);
});

// A server that is counted by valgrind takes many seconds between two calls: no connection is cut meanwhile.
server.keepAliveTimeout = 600_000;

server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo; // it listens on a port, not on a pipe
  console.log(JSON.stringify({ msg: "listening", url: `http://127.0.0.1:${port}` }));
});
