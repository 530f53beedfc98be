import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readSettings } from "#runtime/process/settings/options.ts";
import { type Sent, send, sendRaw } from "../../harness/sockets.ts";
import { closeAll, folder, key, newFolder, order, other, running, service } from "./admin-service.ts";

// The admin API (spec/surfaces 10 and 16, docs/admin-api.md): its keys and its addresses.

beforeEach(newFolder);
afterEach(closeAll);

describe("whom it tells", () => {
  const path = "/api/v1/interfaces";

  test.each<[string, string, Sent["headers"], number, string]>([
    ["a key as Bearer", path, { authorization: `Bearer ${key}` }, 200, "GET"],
    ["another key, for rotation", path, { authorization: `bearer ${other}` }, 200, "GET"],
    ["a key in its own header", path, { "x-api-key": key }, 200, "GET"],
    ["a key in the query", `${path}?api_key=${key}`, {}, 200, "GET"],
    ["a key and HEAD", path, { "x-api-key": key }, 200, "HEAD"],
    ["no key", path, {}, 401, "GET"],
    ["a wrong key", path, { "x-api-key": `${key}x` }, 401, "GET"],
    ["the beginning of a key", path, { "x-api-key": key.slice(0, -1) }, 401, "GET"],
    ["both keys", path, { "x-api-key": `${key}, ${other}` }, 401, "GET"],
    ["an empty key", path, { "x-api-key": "" }, 401, "GET"],
    ["Basic credentials", path, { authorization: `Basic ${Buffer.from(`x:${key}`).toString("base64")}` }, 401, "GET"],
    ["a cookie", path, { cookie: `api_key=${key}` }, 401, "GET"],
    ["no key, another path", "/api/v1/nothing", {}, 401, "GET"],
    ["no key, another method", path, {}, 401, "DELETE"],
    ["a key, another path", "/api/v1/nothing", { "x-api-key": key }, 404, "GET"],
    ["a key, the path of another service", "/metrics", { "x-api-key": key }, 404, "GET"],
    ["a key, a path upwards", "/api/v1/../v1/runs", { "x-api-key": key }, 404, "GET"],
    ["a key, another method", path, { "x-api-key": key }, 405, "POST"],
    [
      "a key, a preflight of a browser",
      path,
      { "x-api-key": key, origin: "https://evil.example", "access-control-request-method": "GET" },
      403,
      "OPTIONS",
    ],
    ["a key, a very long query", `${path}?limit=${"1".repeat(5_000)}`, { "x-api-key": key }, 414, "GET"],
    ["a name that leads here (DNS rebinding)", path, { "x-api-key": key, host: "evil.example" }, 403, "GET"],
    ["the same with our port", path, { "x-api-key": key, host: "evil.example:4112" }, 403, "GET"],
    ["a name that begins like an address", path, { "x-api-key": key, host: "127.0.0.1.evil.example" }, 403, "GET"],
    ["a name that is known", path, { "x-api-key": key, host: "Admin.internal:4112" }, 200, "GET"],
    ["localhost", path, { "x-api-key": key, host: "localhost:9999" }, 200, "GET"],
    ["an address of IPv6", path, { "x-api-key": key, host: "[::1]:4112" }, 200, "GET"],
    ["a page of another site", path, { "x-api-key": key, "sec-fetch-site": "cross-site" }, 403, "GET"],
    ["a page of the same site, on another port", path, { "x-api-key": key, "sec-fetch-site": "same-site" }, 403, "GET"],
    ["a page of another site by plain HTTP", path, { "x-api-key": key, origin: "http://evil.example" }, 403, "GET"],
    ["a page without an origin", path, { "x-api-key": key, origin: "null" }, 403, "GET"],
    ["our own page", path, { "x-api-key": key, "sec-fetch-site": "same-origin" }, 200, "GET"],
  ])("%s", async (_, asked, headers, expected, method) => {
    const one = await service({ PIPEWRIGHT_ADMIN_HOSTS: "admin.internal" });
    const { status, headers: said, text } = await one.ask(asked, headers, method);
    expect(status).toBe(expected);
    expect(said).toMatchObject({
      "content-type": "application/json",
      "cache-control": "no-store",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
    });
    expect(Object.keys(said).filter((name) => name.startsWith("access-control-") || name === "set-cookie")).toEqual([]);
    if (status >= 400) expect(Object.keys(JSON.parse(text))).toEqual(["error"]);
    if (method === "HEAD") expect(text).toBe("");
  });

  test("a key may be kept out of the query", async () => {
    const one = await service({ PIPEWRIGHT_QUERY_KEYS: "off" });
    expect((await one.ask(`${path}?api_key=${key}`, {})).status).toBe(401);
  });

  test("keys may stand in a file", async () => {
    const file = join(folder.folder, "..", "keys");
    writeFileSync(file, `${other}-of-file\nsecond-key-of-the-file\n`);
    const one = await service({ PIPEWRIGHT_API_KEYS: `file:${file}` });
    expect((await one.ask(path, { "x-api-key": "second-key-of-the-file" })).status).toBe(200);
    expect((await one.ask(path)).status).toBe(401);
  });

  test("who tries many wrong keys is not heard for a while, also with the right one; a page in a browser cannot do that to others", async () => {
    const one = await service();
    for (let i = 0; i < 30; i++)
      expect((await one.ask(path, { "x-api-key": "a-wrong-key-of-a-page", "sec-fetch-site": "cross-site" })).status).toBe(403);
    for (let i = 0; i < 30; i++) expect((await one.ask(path, {})).status).toBe(401);
    expect((await one.ask(path)).status).toBe(200);
    for (let i = 0; i < 10; i++) expect((await one.ask(path, { "x-api-key": `a-wrong-key-number-${i}` })).status).toBe(401);
    const { status, headers, text } = await one.ask(path);
    expect([status, text]).toEqual([429, '{"error":"too_many_wrong_keys"}']);
    expect(Number(headers["retry-after"])).toBeGreaterThan(50);
  });

  test("malformed requests do not end it, and bodies are not read", async () => {
    const one = await service();
    for (const bytes of [
      "GET\r\n\r\n",
      "\0\0\0\r\n\r\n",
      `GET ${path} HTTP/1.1\r\n\r\n`,
      `GET ${path} HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n`,
    ])
      expect(await sendRaw(one.admin, bytes)).toMatch(/^HTTP\/1\.1 4\d\d /);
    const early = await sendRaw(
      one.admin,
      `GET ${path} HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${key}\r\ncontent-length: 1000000\r\n\r\nx`,
    );
    expect(early).toMatch(/^HTTP\/1\.1 200 .*connection: close/is);
    expect((await one.ask(path)).status).toBe(200);
  });

  test("no key is ever logged", async () => {
    const one = await service();
    await one.ask(`${path}?api_key=${key}`, {});
    await send(one.url, `/nothing?k=${key}`);
    expect(JSON.stringify(one.log)).not.toContain(key);
  });
});

describe("where it is served", () => {
  const settings = (env: Readonly<Record<string, string>>) => readSettings({}, env);

  test.each<[string, Readonly<Record<string, string>>, string[], string | undefined]>([
    ["without a key nowhere", {}, [], undefined],
    ["with one on this machine", { PIPEWRIGHT_API_KEYS: key }, [], "127.0.0.1:4112"],
    ["or not at all", { PIPEWRIGHT_API_KEYS: key, PIPEWRIGHT_ADMIN_BIND: "off" }, [], undefined],
    ["elsewhere with a key", { PIPEWRIGHT_API_KEYS: key, PIPEWRIGHT_ADMIN_BIND: "0.0.0.0:5000" }, [], "0.0.0.0:5000"],
    [
      "elsewhere only with a key",
      { PIPEWRIGHT_ADMIN_BIND: "0.0.0.0:5000" },
      ["PIPEWRIGHT_ADMIN_BIND: 0.0.0.0:5000 is reached from other machines: set PIPEWRIGHT_API_KEYS"],
      undefined,
    ],
    ["on loopback of another kind without one nowhere", { PIPEWRIGHT_ADMIN_BIND: "[::1]:1" }, [], undefined],
    [
      "every address but those is another machine's",
      { PIPEWRIGHT_ADMIN_BIND: "[::]:1" },
      ["PIPEWRIGHT_ADMIN_BIND: :::1 is reached from other machines: set PIPEWRIGHT_API_KEYS"],
      undefined,
    ],
    ["nonsense", { PIPEWRIGHT_ADMIN_BIND: "here" }, ["PIPEWRIGHT_ADMIN_BIND must be off or ADDRESS:PORT, not 'here'"], undefined],
    [
      "a short key",
      { PIPEWRIGHT_API_KEYS: `${key},short` },
      ["PIPEWRIGHT_API_KEYS: key 2 is shorter than 16 characters"],
      "127.0.0.1:4112",
    ],
    ["an unknown word", { PIPEWRIGHT_QUERY_KEYS: "false" }, ["PIPEWRIGHT_QUERY_KEYS must be one of on, off, not 'false'"], undefined],
    [
      "an unknown bound of captures",
      { PIPEWRIGHT_CAPTURE_MAX: "some" },
      ["PIPEWRIGHT_CAPTURE_MAX must be one of off, errors, all, not 'some'"],
      undefined,
    ],
  ])("%s", async (_, env, unmet, bind) => {
    const found = await settings(env);
    expect(found.unmet).toEqual(unmet);
    expect(found.admin.bind === undefined ? undefined : `${found.admin.bind.address}:${found.admin.bind.port}`).toBe(bind);
  });

  test("what has no effect is warned of", async () => {
    expect((await settings({ PIPEWRIGHT_ADMIN_BIND: "127.0.0.1:1", PIPEWRIGHT_CAPTURE: "all" })).warnings).toEqual([
      "the admin API is not served: PIPEWRIGHT_API_KEYS is not set",
      "PIPEWRIGHT_CAPTURE has no effect: an interface is recorded when it says capture; PIPEWRIGHT_CAPTURE_MAX bounds that",
    ]);
  });

  test("an address that was chosen and is in use keeps the process from starting", async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
    const { port } = taken.address() as AddressInfo;
    await expect(service({ PIPEWRIGHT_ADMIN_BIND: `127.0.0.1:${port}` })).rejects.toThrow(
      `PIPEWRIGHT_ADMIN_BIND: 127.0.0.1:${port} cannot be used: EADDRINUSE`,
    );
    taken.close();
  });

  test("it is closed with the process, which writes what it has recorded before", async () => {
    const one = await service();
    await order(one, { n: 1 });
    await running.pop()?.close();
    await expect(one.ask("/api/v1/runs")).rejects.toThrow("ECONNREFUSED");
    expect(readFileSync(join(folder.folder, "runs-local-production.ndjson"), "utf8").split("\n")).toHaveLength(2);
  });
});
