import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { http } from "#runtime/features/actions/http.ts";
import { createHost, type Host } from "#runtime/process/host.ts";
import { HttpServer } from "#runtime/triggers/http-server.ts";
import { configOf, send, served } from "../../../harness/sockets.ts";

// A request that is passed on arrives byte for byte (spec/language 5.1.1, proxy_body and proxy_query).

const seen: { path: string; body: Buffer; type: string | undefined }[] = [];
const upstream = createServer((message, response) => {
  const chunks: Buffer[] = [];
  message.on("data", (chunk: Buffer) => chunks.push(chunk));
  message.on("end", () => {
    seen.push({ path: message.url ?? "", body: Buffer.concat(chunks), type: message.headers["content-type"] });
    response.end();
  });
});

let host: Host;
let trigger: HttpServer;
let url: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  const { port } = upstream.address() as AddressInfo;
  host = createHost({ env: {} });
  const pass = served("POST", "/p", (_, act) =>
    http(act, { url: `http://127.0.0.1:${port}/u`, method: "POST", proxy_body: true, proxy_query: true }).then(() => null),
  );
  trigger = new HttpServer({ host, configs: [configOf(pass)], unmet: async () => [] });
  url = await trigger.listen("127.0.0.1", 0);
});
afterAll(async () => {
  await trigger.drain(0, 0);
  await host.close();
  upstream.close();
});

const bytes = Buffer.from(Array.from({ length: 256 }, (_, i) => i));

test.each([
  ["text that is no UTF-8", "text/plain; charset=latin1", bytes],
  ["text", "text/plain", Buffer.from("é\ufeff\0")],
  ["bytes", "application/octet-stream", bytes],
  ["Base64 of itself", "application/octet-stream", Buffer.from("AP8=")],
  ["JSON with its own blanks", "application/json", Buffer.from('{ "a" : 1.0,\n "a": "\\u00e9" }')],
  ["compressed JSON", "application/json", gzipSync('{"a":1}'), "gzip"],
  ["a form with files", "multipart/form-data; boundary=x", Buffer.from("--x--\r\n")],
])("%s", async (_, type, body, encoding?: string) => {
  const headers = { "content-type": type, ...(encoding === undefined ? {} : { "content-encoding": encoding }) };
  expect((await send(url, "/p", { method: "POST", body, headers })).status).toBe(200);
  expect(seen.at(-1)).toEqual({ path: "/u", body, type });
});

test.each(["a=1&b=%20+%2b", "'\"|[]{}^`", "=&==&a", "%zz%", "%ff"])("the query %s", async (query) => {
  const { status } = await send(url, `/p?${query}`, { method: "POST" });
  // An escape that is no UTF-8 never gets this far.
  if (query === "%ff") expect(status).toBe(400);
  else expect([status, seen.at(-1)?.path]).toEqual([200, `/u?${query}`]);
});
