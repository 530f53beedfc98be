import { createGunzip, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Interface } from "#runtime/run/interface.ts";
import { type Got, type Sent, send, served } from "../../harness/sockets.ts";
import { until, untilTrue } from "../../harness/until.ts";
import { type Application, application } from "./applications.ts";

// The view of callers of an application on the interfaces that it mounts, beside what the law `agree` compares.

const aborted: string[] = [];
const begun: string[] = [];

const shaped: Interface = {
  ...served("GET", "/shaped", () => null),
  run: (cx) => {
    const { h = null, status = "200" } = cx.params;
    const headers = { "x-h": h, "set-cookie": "ours=1" };
    const reply = { http_code: Number(status), headers, body: { text: '{"a":1}', type: "application/json" } };
    cx.act("A", { response_on_success: () => reply }, () => null);
  },
};

const interfaces = [
  served("GET", "/w/:id", (cx) => [cx.params, cx.request.path ?? null]),
  served("POST", "/echo", (cx) => [cx.body, cx.raw_body]),
  served("ANY", "/any", (cx) => cx.request.method ?? null),
  served("GET", "/user", (cx) => cx.headers["x-user"] ?? null),
  served("GET", "/slow", async (cx) => {
    begun.push("slow");
    cx.signal.addEventListener("abort", () => aborted.push("slow"));
    await cx.host.sleep(20_000, cx.signal).catch(() => undefined);
    return null;
  }),
  shaped,
];

const dataOf = ({ text }: Got): unknown => JSON.parse(text).data.A.data;

describe("below a prefix", () => {
  let it: Application;
  const ask = (path: string, sent?: Sent): Promise<Got> => send(it.url, path, sent);
  beforeAll(async () => {
    it = await application({
      interfaces,
      prefix: "/api",
      limits: { maxBodyBytes: 1_000 },
      before: (app) => void app.get("/mine", () => "mine"),
    });
  });
  afterAll(() => it.app.close());

  test("interfaces answer, and see the whole path", async () => {
    expect(dataOf(await ask("/api/w/7?q=1"))).toEqual([{ q: "1", id: "7" }, "/api/w/7"]);
    expect(dataOf(await ask("/api/local/production/w/7"))).toEqual([{ id: "7" }, "/api/local/production/w/7"]);
    expect(dataOf(await ask("/%61pi/w/a%2Fb"))).toEqual([{ id: "a/b" }, "/%61pi/w/a%2Fb"]);
  });

  test("404 and 405 are ours, and those elsewhere the application's", async () => {
    for (const path of ["/api", "/api/", "/api/nothing", "/api/w/1/2"]) {
      const { status, headers, text } = await ask(path);
      expect([path, status, text]).toEqual([path, 404, '{"error":"not_found"}']);
      expect(headers).toMatchObject({ "content-type": "application/json", "x-content-type-options": "nosniff", "content-length": "21" });
    }
    expect((await ask("/mine")).text).toBe("mine");
    expect(JSON.parse((await ask("/nothing")).text)).toMatchObject({ error: "Not Found" });
    expect(JSON.parse((await ask("/apis")).text)).toMatchObject({ error: "Not Found" });
    const { status, headers, text } = await ask("/api/echo");
    expect([status, headers.allow, text]).toEqual([405, "POST", '{"error":"method_not_allowed"}']);
  });

  test("HEAD, OPTIONS, and methods that Fastify has no routes for", async () => {
    const [head, get] = [await ask("/api/w/7", { method: "HEAD" }), await ask("/api/w/7")];
    expect([head.status, head.text, head.headers["content-type"]]).toEqual([200, "", get.headers["content-type"]]);
    expect((await ask("/api/w/7", { method: "OPTIONS" })).headers.allow).toBe("GET, HEAD");
    expect((await ask("/api/w/7", { method: "PROPFIND" })).status).toBe(405);
    expect(dataOf(await ask("/api/any", { method: "PROPFIND" }))).toBe("PROPFIND");
  });

  test("a body of any type reaches the run, and none that is too large", async () => {
    const post = (body: string, type?: string): Promise<Got> =>
      ask("/api/echo", {
        method: "POST",
        headers: { ...(type === undefined ? {} : { "content-type": type }), "content-length": body.length },
        body,
      });
    expect(dataOf(await post('{"a":1}', "application/json"))).toEqual([{ a: 1 }, '{"a":1}']);
    expect(dataOf(await post("a=1", "application/x-www-form-urlencoded"))).toEqual([{ a: "1" }, "a=1"]);
    for (const type of [undefined, "none", "", "a/b/c", "application/json, text/plain"])
      expect((await post("x", type)).status, type).toBe(200);
    expect(await post("{", "application/json")).toMatchObject({ status: 400, text: expect.stringContaining("invalid_json") });
    const large = await post("x".repeat(1_001), "text/plain");
    expect(large).toMatchObject({ status: 413, headers: { connection: "close" }, text: '{"error":"payload_too_large"}' });
  });

  test("an answer that is no message is refused", async () => {
    expect(await ask("/api/shaped?h=a%0Ab")).toMatchObject({ status: 500, text: '{"error":"response failed"}' });
    expect(await ask("/api/shaped?status=600")).toMatchObject({ status: 500, text: '{"error":"response failed"}' });
    expect((await ask("/api/shaped?status=599")).status).toBe(599);
    expect(it.logged).toContain("error PW909 the response is no valid HTTP message");
  });

  test("a client that goes away cancels its run", async () => {
    const gone = new AbortController();
    const asked = ask("/api/slow", { signal: gone.signal });
    await untilTrue(() => begun.includes("slow"));
    gone.abort();
    await expect(asked).rejects.toThrow();
    await untilTrue(() => aborted.includes("slow"));
  });

  test("health is at the prefix, too", async () => {
    expect((await ask("/api/livez")).text).toBe('{"status":"ok"}');
    expect((await ask("/api/readyz")).text).toBe('{"status":"ready"}');
    expect((await ask("/livez")).status).toBe(404);
  });

  test("a request that is injected is answered alike", async () => {
    const { statusCode, body } = await it.app.inject({ method: "POST", url: "/api/echo", payload: { a: 1 } });
    expect([statusCode, JSON.parse(body).data.A.data]).toEqual([200, [{ a: 1 }, '{"a":1}']]);
    expect((await it.app.inject({ method: "GET", url: "/api/echo" })).statusCode).toBe(405);
  });
});

describe("at the root", () => {
  test("paths of no interface belong to the application", async () => {
    const it = await application({
      interfaces,
      before: (app) => {
        app.get("/", () => "home");
        app.setNotFoundHandler((_request, reply) => reply.code(404).send("lost"));
      },
    });
    expect((await send(it.url, "/")).text).toBe("home");
    expect(dataOf(await send(it.url, "/w/7"))).toEqual([{ id: "7" }, "/w/7"]);
    expect(await send(it.url, "/nothing")).toMatchObject({ status: 404, text: "lost" });
    expect(await send(it.url, "/echo")).toMatchObject({ status: 405 });
    await it.app.close();
  });
});

describe("what the application does around it", () => {
  const order: string[] = [];
  let it: Application;
  const ask = (path: string, sent?: Sent): Promise<Got> => send(it.url, path, sent);
  beforeAll(async () => {
    it = await application({
      interfaces,
      prefix: "/api",
      before: (app) => {
        app.decorateRequest("user", "");
        app.addHook("onRequest", async (request, reply) => {
          order.push("onRequest");
          // A run begins when all hooks have had their say, however long that takes.
          await new Promise((resolve) => setImmediate(resolve));
          if (request.headers.authorization === "none") return reply.code(401).send({ error: "who are you" });
          reply.header("set-cookie", "theirs=1").header("x-h", "theirs");
          request.raw.headers["x-user"] = "ada";
          return undefined;
        });
        app.addHook("preParsing", async (request, _reply, payload) => {
          if (request.headers["x-packed"] === undefined) return payload;
          return payload.pipe(createGunzip());
        });
        app.addHook("preHandler", async (request) => {
          Object.assign(request, { user: request.headers["x-user"] });
          order.push("preHandler");
        });
        app.addHook("onSend", async (request, reply, payload) => {
          order.push("onSend");
          reply.header("x-served-by", "app").header("x-user", (request as typeof request & { user: string }).user);
          return request.headers["x-wrap"] === undefined ? payload : `<${payload}>`;
        });
        app.addHook("onResponse", async () => void order.push("onResponse"));
      },
    });
  });
  afterAll(() => it.app.close());

  test("hooks run in their order, and see and change the answer", async () => {
    order.length = 0;
    const got = await ask("/api/user", { headers: { "x-wrap": "1" } });
    const inner = got.text.slice(1, -1);
    expect(got.text).toBe(`<${inner}>`);
    expect(JSON.parse(inner).data.A.data).toBe("ada");
    expect(got.headers).toMatchObject({ "x-served-by": "app", "x-user": "ada", "content-length": String(got.text.length) });
    await until(() => expect(order).toEqual(["onRequest", "preHandler", "onSend", "onResponse"]));
  });

  test("a hook that answers keeps the run from beginning", async () => {
    begun.length = 0;
    expect(await ask("/api/slow", { headers: { authorization: "none" } })).toMatchObject({ status: 401 });
    expect(begun).toEqual([]);
  });

  test("headers of an answer replace those of a hook, cookies stand beside them", async () => {
    const { headers } = await ask("/api/shaped?h=ours");
    expect(headers).toMatchObject({ "x-h": "ours", "content-type": "application/json", "set-cookie": ["theirs=1", "ours=1"] });
  });

  test("a body that a hook has replaced is the one that is read", async () => {
    const body = gzipSync('{"a":1}');
    const headers = { "content-type": "application/json", "content-length": body.length, "x-packed": "1" };
    expect(dataOf(await ask("/api/echo", { method: "POST", headers, body }))).toEqual([{ a: 1 }, '{"a":1}']);
    const broken = await ask("/api/echo", { method: "POST", headers: { ...headers, "content-length": 3 }, body: "abc" });
    expect(broken).toMatchObject({ status: 400 });
    expect((await ask("/api/user")).status).toBe(200);
  });
});

test("an application that has no more patience answers itself, and the run ends", async () => {
  aborted.length = 0;
  const it = await application({ interfaces, prefix: "/api", server: { handlerTimeout: 50 } });
  expect((await send(it.url, "/api/slow")).status).toBe(503);
  await untilTrue(() => aborted.includes("slow"));
  await it.app.close();
  expect(it.logged.filter((line) => /^(?:fatal|error|warn) (?!.*timed out)/.test(line))).toEqual([]);
});
