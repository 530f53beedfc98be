import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createHost, defaultLimits, type Limits } from "#runtime/host.ts";
import type { Config } from "#runtime/interface.ts";
import { allowOf, RouteTable } from "#runtime/triggers/http/routes.ts";
import { type HttpOptions, HttpTrigger } from "#runtime/triggers/http.ts";
import { configOf, type Got, type Sent, send, sendRaw, served } from "./sockets.ts";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const json = { "content-type": "application/json" };

interface Serving {
  readonly url: string;
  readonly trigger: HttpTrigger;
  readonly logged: string[];
}

async function serving(
  config: Config,
  router: "table" | "fastify",
  limits: Partial<Limits> = {},
  more: Partial<HttpOptions> = {},
): Promise<Serving> {
  const logged: string[] = [];
  const log = (level: string, msg: string): void => {
    logged.push(`${level} ${msg}`);
  };
  const host = createHost({ organisation: "acme", environment: "staging", env: {}, limits: { ...defaultLimits, ...limits }, log });
  const trigger = new HttpTrigger({ host, configs: [config], unmet: async () => [], router, ...more });
  return { url: await trigger.listen("127.0.0.1", 0), trigger, logged };
}

/** Data of the action that every interface of these tests has. */
const dataOf = ({ text }: Got) => JSON.parse(text).data.A.data;

// decisions.md D7: the same answers past Fastify and by way of it.
describe.each(["table", "fastify"] as const)("router %s", (router) => {
  let aborted: string[] = [];
  let base: Serving;
  const ask = (path: string, options?: Sent): Promise<Got> => send(base.url, path, options);

  const config = configOf(
    served("GET", "/w", (cx) => cx.params),
    served("POST", "/echo", (cx) => [cx.body, cx.raw_body]),
    served("GET", "/bodied", (cx) => cx.body),
    served("ANY", "/any", (cx) => cx.request.method ?? null),
    served("GET", "/things", () => "list"),
    served("POST", "/things", () => "make"),
    served("GET", "/users/:id/posts/{post}", (cx) => cx.params),
    served("GET", "/users/me/posts/:post", (cx) => ["me", cx.params]),
    served("GET", "/files/*path", (cx) => cx.params),
    served("GET", "/request", (cx) => cx.request),
    served("GET", "/ip", (cx) => cx.ip),
    served("GET", "/slow", async (cx) => {
      cx.signal.addEventListener("abort", () => aborted.push("slow"));
      await cx.host.sleep(20_000, cx.signal);
      return null;
    }),
    served("GET", "/late", async () => "late"),
    {
      ...served("GET", "/shaped", (cx) => cx.params),
      run: (cx) => {
        const { h, status = "200", body = "ok" } = cx.params;
        cx.act(
          "A",
          {
            response_on_success: () => ({
              http_code: Number(status),
              headers: { "x-h": h ?? null, "Content-Length": "999" },
              body: { text: String(body), type: "text/plain" },
            }),
          },
          () => null,
        );
      },
    },
    {
      ...served("GET", "/bug", () => null),
      run: () => {
        throw new Error("secret detail");
      },
    },
  );

  beforeAll(async () => {
    base = await serving(config, router, { maxBodyBytes: 1_000, runTimeoutMs: 5_000 });
  });
  afterAll(() => base.trigger.drain(0, 0));

  test("an answer has its length, its type and the UUID of its run", async () => {
    const { status, headers, text } = await ask("/w?a=1");
    expect([status, dataOf({ status, headers, text })]).toEqual([200, { a: "1" }]);
    expect(headers).toMatchObject({
      "content-type": "application/json",
      "content-length": String(text.length),
      "x-request-id": expect.stringMatching(uuid),
    });
  });

  test("a caller's UUID is kept, anything else is not", async () => {
    const id = "0b9af1c6-8d4e-1f00-a000-123456789abc";
    expect((await ask("/w", { headers: { "x-request-id": id } })).headers["x-request-id"]).toBe(id);
    expect(dataOf(await ask("/request", { headers: { "x-request-id": id } }))).toMatchObject({ id });
    expect((await ask("/w", { headers: { "x-request-id": "<b>" } })).headers["x-request-id"]).toMatch(uuid);
  });

  test("the request as a run sees it", async () => {
    const data = dataOf(await ask("/acme/staging/request?q=1", { headers: { "X-One": "Abc" } }));
    expect(data).toMatchObject({
      method: "GET",
      path: "/acme/staging/request",
      trigger: "http",
      interface: "request",
      config: "t",
      environment: "staging",
    });
    expect(data).toMatchObject({ headers: { "x-one": "Abc" }, params: { q: "1" }, body: null });
  });

  test("repeated headers are joined", async () => {
    const answer = await sendRaw(
      base.url,
      "GET /request HTTP/1.1\r\nhost: a\r\nx-a: 1\r\nx-a: 2\r\nauthorization: b\r\nauthorization: c\r\nconnection: close\r\n\r\n",
    );
    expect(answer).toContain('"x-a":"1, 2"');
    expect(answer).toContain('"authorization":"b, c"');
  });

  describe("routes", () => {
    test.each<[string, string, unknown]>([
      ["bare", "/w", {}],
      ["with organisation and environment", "/acme/staging/w", {}],
      ["parameters", "/users/42/posts/a%20b", { id: "42", post: "a b" }],
      ["an escaped slash stays inside its segment", "/users/a%2Fb/posts/7", { id: "a/b", post: "7" }],
      ["a literal beats a parameter", "/users/me/posts/7", ["me", { post: "7" }]],
      ["the route wins over the query", "/users/42/posts/7?id=evil&page=2", { id: "42", page: "2", post: "7" }],
      ["the rest of a path", "/files/a/b%20c/", { path: "a/b c/" }],
      ["a lone percent sign is text", "/users/100%/posts/7", { id: "100%", post: "7" }],
      ["UTF-8, escaped", "/users/%C3%BC/posts/7", { id: "ü", post: "7" }],
    ])("%s", async (_, path, data) => {
      const got = await ask(path);
      expect([got.status, dataOf(got)]).toEqual([200, data]);
    });

    test.each([
      "/",
      "/nope",
      "/w/",
      "//w",
      "/W",
      "/users//posts/7",
      "/users/../w",
      "/users/%2e%2e/posts/7",
      "/files/../w",
      "/acme/production/w",
      "/other/staging/w",
      "/healthz",
    ])("%s is 404", async (path) => {
      const { status, headers, text } = await ask(path);
      expect([status, text, headers["content-type"]]).toEqual([404, '{"error":"not_found"}', "application/json"]);
    });

    test("an absolute request target counts without its origin", async () => {
      expect(dataOf(await ask("http://elsewhere.example/w?a=1"))).toEqual({ a: "1" });
    });

    test.each([
      ["/w", "POST", "GET, HEAD"],
      ["/echo", "GET", "POST"],
      ["/things", "DELETE", "GET, HEAD, POST"],
      ["/users/me/posts/7", "PUT", "GET, HEAD"],
      ["/livez", "POST", "GET, HEAD"],
      ["/w", "OPTIONS", "GET, HEAD"],
    ])("%s does not serve %s", async (path, method, allow) => {
      const { status, headers, text } = await ask(path, { method });
      expect([status, text, headers.allow]).toEqual([405, '{"error":"method_not_allowed"}', allow]);
    });

    test("methods that share a route, ANY, and HEAD as GET without a body", async () => {
      expect(dataOf(await ask("/things"))).toBe("list");
      expect(dataOf(await ask("/things", { method: "POST" }))).toBe("make");
      expect(dataOf(await ask("/any", { method: "PATCH" }))).toBe("PATCH");
      const { status, headers, text } = await ask("/things", { method: "HEAD" });
      expect([status, text, headers["content-length"]]).toEqual([200, "", (await ask("/things")).headers["content-length"]]);
    });

    test("probes", async () => {
      expect(await ask("/livez")).toMatchObject({ status: 200, text: '{"status":"ok"}' });
      expect(await ask("/readyz")).toMatchObject({ status: 200, text: '{"status":"ready"}' });
      expect((await ask("/acme/staging/livez")).status).toBe(404);
    });
  });

  describe("query", () => {
    test.each<[string, unknown]>([
      ["tag=a&tag=b&one=1", { tag: ["a", "b"], one: "1" }],
      ["a=b+c%20d&e=&f&=g", { a: "b c d", e: "", f: "", "": "g" }],
      ["a=1=2&&b=100%", { a: "1=2", b: "100%" }],
      ["a=%E2%82%AC", { a: "€" }],
    ])("%s", async (query, data) => {
      expect(dataOf(await ask(`/w?${query}`))).toEqual(data);
    });

    test("a key named __proto__ is an ordinary one", async () => {
      expect((await ask("/w?__proto__=x&constructor=y")).text).toContain('{"__proto__":"x","constructor":"y"}');
    });

    test.each(["/w?a=%ff", "/w?%C3=1", "/users/%ff/posts/1", "/nope/%ff"])("%s is not UTF-8", async (path) => {
      expect(await ask(path)).toMatchObject({ status: 400, text: '{"error":"invalid_param"}' });
    });
  });

  describe("body", () => {
    const deep = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);

    test.each<[string, string | undefined, string | Buffer, unknown]>([
      ["JSON", "application/json; charset=utf-8", ' {"a": 1, "a": 2}', { a: 2 }],
      ["JSON by suffix", "application/vnd.x+json", "null", null],
      ["JSON of the deepest nesting", "application/json", deep(128), JSON.parse(deep(128))],
      ["a form", "application/x-www-form-urlencoded", "a=1&b=x+y&b=%C3%BC", { a: "1", b: ["x y", "ü"] }],
      ["text stays text", "text/plain", '{"a":1}', '{"a":1}'],
      ["one document a line", "application/x-ndjson", '{"a":1}\n\n[2]\r\n', [{ a: 1 }, [2]]],
      ["another type is Base64", "application/octet-stream", Buffer.from([0, 255]), "AP8="],
      ["no type, JSON", undefined, "[1]", [1]],
      ["no type, text", undefined, "hello", "hello"],
      ["no type, bytes", undefined, Buffer.from([255]), "/w=="],
    ])("%s", async (_, type, body, expected) => {
      const got = await ask("/echo", { method: "POST", body, headers: type === undefined ? {} : { "content-type": type } });
      expect([got.status, dataOf(got)[0]]).toEqual([200, expected]);
    });

    test("an empty body is none, whatever its type", async () => {
      expect(dataOf(await ask("/echo", { method: "POST", headers: json }))).toEqual([null, null]);
      expect(dataOf(await ask("/echo", { method: "POST", headers: { ...json, "transfer-encoding": "chunked" }, body: "" }))).toEqual([
        null,
        null,
      ]);
    });

    test("raw_body is what was sent", async () => {
      expect(dataOf(await ask("/echo", { method: "POST", headers: json, body: '{"a": 1 }' }))[1]).toBe('{"a": 1 }');
      expect(dataOf(await ask("/echo", { method: "POST", body: Buffer.from([255, 65]) }))[1]).toBe("\u00ffA");
    });

    test.each([
      ["gzip", gzipSync],
      ["deflate", deflateSync],
      ["br", brotliCompressSync],
    ])("%s is inflated, raw_body is not", async (encoding, compress) => {
      const body = compress('{"a":1}');
      const data = dataOf(await ask("/echo", { method: "POST", body, headers: { ...json, "content-encoding": encoding } }));
      expect(data).toEqual([{ a: 1 }, body.toString("latin1")]);
    });

    test("a GET may have a body", async () => {
      expect(dataOf(await ask("/bodied", { body: "[1]", headers: { ...json, "content-length": 3 } }))).toEqual([1]);
    });

    test.each<[string, string, string | Buffer, Record<string, string>, number, string]>([
      ["broken JSON", "application/json", "{", {}, 400, "invalid_json"],
      ["JSON that is not UTF-8", "application/json", Buffer.from([34, 255, 34]), {}, 400, "invalid_json"],
      ["JSON nested too deep", "application/json", deep(129), {}, 400, "invalid_json"],
      ["a broken line", "application/x-ndjson", "{}\n{", {}, 400, "invalid_json"],
      ["a form that is not UTF-8", "application/x-www-form-urlencoded", "a=%ff", {}, 400, "invalid_param"],
      ["a broken encoding", "application/json", "{}", { "content-encoding": "gzip" }, 400, "invalid_encoding"],
      ["an unknown encoding", "application/json", "{}", { "content-encoding": "zstd" }, 415, "unsupported_media_type"],
      ["more than the limit", "text/plain", "x".repeat(1_001), {}, 413, "payload_too_large"],
      ["more than the limit, in chunks", "text/plain", "x".repeat(1_001), { "transfer-encoding": "chunked" }, 413, "payload_too_large"],
      [
        "more than the limit, inflated",
        "text/plain",
        gzipSync("x".repeat(1_001)),
        { "content-encoding": "gzip" },
        413,
        "payload_too_large",
      ],
    ])("%s is refused", async (_, type, body, headers, status, error) => {
      expect(await ask("/echo", { method: "POST", body, headers: { "content-type": type, ...headers } })).toMatchObject({
        status,
        text: `{"error":"${error}"}`,
      });
    });

    test("exactly the limit passes", async () => {
      expect((await ask("/echo", { method: "POST", body: "x".repeat(1_000), headers: { "content-type": "text/plain" } })).status).toBe(200);
    });
  });

  describe("limits", () => {
    test("a request target above 16 KiB", async () => {
      expect(await ask(`/w?a=${"x".repeat(16_384)}`)).toMatchObject({
        status: 414,
        text: '{"error":"uri_too_long"}',
        headers: { connection: "close" },
      });
      expect((await ask(`/w?a=${"x".repeat(16_300)}`)).status).toBe(200);
    });

    test("a header block above 32 KiB", async () => {
      const answer = await sendRaw(base.url, `GET /w HTTP/1.1\r\nhost: a\r\nx-a: ${"x".repeat(33_000)}\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1\.1 431 .*\r\n(?:.*\r\n)*\r\n\{"error":"headers_too_large"\}$/);
    });

    test.each([
      "nonsense\r\n\r\n",
      "GET /w HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n",
      "GET /w HTTP/1.1\r\nhost: a\r\nx: \u0000\r\n\r\n",
    ])("what is no HTTP is 400: %j", async (bytes) => {
      expect(await sendRaw(base.url, bytes)).toMatch(/^HTTP\/1\.1 400 .*\r\n(?:.*\r\n)*\r\n\{"error":"bad_request"\}$/);
    });

    test("a request that does not arrive in time is 408", async () => {
      const slow = await serving(config, router, {}, { waits: { request: 60 } });
      const answer = await sendRaw(slow.url, "POST /echo HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\n\r\nx");
      await slow.trigger.drain(0, 0);
      expect(answer).toMatch(/^HTTP\/1\.1 408 .*\r\n(?:.*\r\n)*\r\n\{"error":"request_timeout"\}$/);
    });
  });

  describe("runs", () => {
    test("one that waits is answered too", async () => {
      expect(dataOf(await ask("/late"))).toBe("late");
    });

    test("its time is limited", async () => {
      aborted = [];
      const short = await serving(config, router, { runTimeoutMs: 40 });
      expect(await send(short.url, "/slow")).toMatchObject({
        status: 504,
        text: '{"error":"timeout"}',
        headers: { "x-request-id": expect.stringMatching(uuid) },
      });
      expect(aborted).toEqual(["slow"]);
      await short.trigger.drain(0, 1_000);
    });

    test("a client that goes away cancels it", async () => {
      aborted = [];
      const client = new AbortController();
      const asked = ask("/slow", { signal: client.signal });
      setTimeout(() => client.abort(), 40);
      await expect(asked).rejects.toThrow();
      await expect.poll(() => aborted).toEqual(["slow"]);
      expect((await ask("/w")).status).toBe(200);
    });

    test("headers of a reply, framing excepted", async () => {
      expect(await ask("/shaped?h=v&body=abc")).toMatchObject({ status: 200, text: "abc", headers: { "x-h": "v", "content-length": "3" } });
      const { headers } = await ask("/shaped?status=204");
      expect(headers).not.toHaveProperty("content-length");
      expect(headers).not.toHaveProperty("content-type");
    });

    test.each(["/shaped?h=a%0d%0ax-evil:1", "/shaped?h=%00", "/shaped?status=101"])("%s cannot be sent: 500", async (path) => {
      const { status, headers, text } = await ask(path);
      expect([status, text, headers["x-evil"]]).toEqual([500, '{"error":"response failed"}', undefined]);
      expect(base.logged.at(-1)).toBe("error PW909 the response is no valid HTTP message");
    });

    test("a bug of ours tells the caller nothing, and the process lives", async () => {
      expect(await ask("/bug")).toMatchObject({ status: 500, text: '{"error":"internal_error"}' });
      expect(base.logged.at(-1)).toBe("critical unexpected error in a run");
      expect((await ask("/w")).status).toBe(200);
    });
  });

  describe("ip", () => {
    test.each<[string, Record<string, string>, Record<string, unknown>]>([
      ["the peer", {}, { client: "127.0.0.1", real_ip: "127.0.0.1", forwarded_chain: [] }],
      ["x-real-ip", { "x-real-ip": "10.0.0.1" }, { client: "10.0.0.1", real_ip: "10.0.0.1" }],
      [
        "the first hop",
        { "x-forwarded-for": "203.0.113.9, 10.0.0.2:443", "x-real-ip": "10.0.0.1" },
        { client: "203.0.113.9", real_ip: "10.0.0.1", forwarded_chain: ["203.0.113.9", "10.0.0.2"] },
      ],
      [
        "IPv6 spellings",
        { "x-forwarded-for": "[2001:db8::1]:80, ::ffff:10.0.0.3" },
        { client: "2001:db8::1", forwarded_chain: ["2001:db8::1", "10.0.0.3"] },
      ],
      ["fifty hops at most", { "x-forwarded-for": Array.from({ length: 60 }, (_, i) => `10.0.0.${i}`).join() }, { client: "10.0.0.10" }],
    ])("%s", async (_, headers, expected) => {
      expect(dataOf(await ask("/ip", { headers }))).toMatchObject({ socket: "127.0.0.1", country: null, asn: null, ...expected });
    });
  });

  describe("drain", () => {
    test("says so, finishes what is under way, then ends", async () => {
      let finish: (value: string) => void = () => undefined;
      const waiting = served("GET", "/wait", () => new Promise<string>((resolve) => (finish = resolve)));
      const { url, trigger } = await serving(configOf(waiting), router);
      const answer = send(url, "/wait");
      await expect.poll(() => finish.length).toBe(1);
      const drained = trigger.drain(80, 5_000);
      expect(await send(url, "/readyz")).toMatchObject({ status: 503, text: '{"status":"draining","unmet":[]}' });
      await expect
        .poll(() =>
          send(url, "/livez").then(
            () => "served",
            () => "refused",
          ),
        )
        .toBe("refused");
      finish("done");
      const got = await answer;
      expect([dataOf(got), got.headers.connection]).toEqual(["done", "close"]);
      expect(await drained).toBe(true);
    });

    test("does not wait for ever", async () => {
      const { url, trigger } = await serving(config, router);
      const answer = send(url, "/slow");
      answer.catch(() => undefined);
      await expect.poll(() => send(url, "/w").then(({ status }) => status)).toBe(200);
      expect(await trigger.drain(0, 50)).toBe(false);
      await expect(answer).rejects.toThrow();
    });
  });

  test("/readyz names what does not answer", async () => {
    const { url, trigger } = await serving(config, router, {}, { unmet: async () => ["database main of t"] });
    expect(await send(url, "/readyz")).toMatchObject({ status: 503, text: '{"status":"unready","unmet":["database main of t"]}' });
    await trigger.drain(0, 0);
  });
});

describe("RouteTable", () => {
  test("the order of declaration does not matter", () => {
    const routes = ["/a/:x/c", "/a/b/:y", "/a/*rest", "/:z/b/c"];
    for (const order of [routes, routes.toReversed()]) {
      const table = new RouteTable<string>();
      for (const route of order) table.add("GET", route, route);
      const target = (path: string) => {
        const found = table.find("GET", path);
        return found.kind === "route" ? found.target : found.kind;
      };
      expect(["/a/b/c", "/a/x/c", "/a/x/d", "/a/", "/q/b/c", "/q/b/d", "/a"].map(target)).toEqual([
        "/a/b/:y",
        "/a/:x/c",
        "/a/*rest",
        "/a/*rest",
        "/:z/b/c",
        "none",
        "none",
      ]);
    }
  });

  test("a route that does not know the method gives way to one that does", () => {
    const table = new RouteTable<string>();
    table.add("GET", "/users/me", "me");
    table.add("POST", "/users/:id", "id");
    expect(table.find("POST", "/users/me")).toMatchObject({ target: "id", values: ["me"] });
    const served = new Map([
      ["GET", "me"],
      ["POST", "id"],
    ]);
    expect(table.find("PUT", "/users/me")).toEqual({ kind: "method", served });
    expect(allowOf(served.keys())).toEqual(["GET", "HEAD", "POST"]);
  });

  test("a method and shape can be taken once", () => {
    const table = new RouteTable<string>();
    expect([table.add("GET", "/a/:x", "1"), table.add("GET", "a/{y}", "2"), table.add("POST", "/a/:y", "3")]).toEqual([true, false, true]);
  });

  test("a long path costs no more than the table is large", () => {
    const table = new RouteTable<string>();
    for (let i = 0; i < 12; i++) table.add("GET", `${"/:a/a".repeat(i)}/x`, String(i));
    const began = process.cpuUsage();
    for (let i = 0; i < 1_000; i++) table.find("GET", "/a".repeat(8_000));
    expect(process.cpuUsage(began).user / 1000).toBeLessThan(5_000);
  });
});
