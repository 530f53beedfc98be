import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { configOf, type Got, type Sent, send, sendRaw, served } from "../../../harness/sockets.ts";
import { until } from "../../../harness/until.ts";
import { dataOf, type Serving, serving } from "./http-serving.ts";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Names of runs that were aborted, and of those that have begun. */
const aborted: string[] = [];
const begun: string[] = [];
let base: Serving;
const ask = (path: string, options?: Sent): Promise<Got> => send(base.url, path, options);

const config = configOf(
  served("GET", "/w", (cx) => cx.params),
  served("POST", "/echo", (cx) => [cx.body, cx.raw_body]),
  served("ANY", "/any", (cx) => cx.request.method ?? null),
  served("GET", "/things", () => "list"),
  served("POST", "/things", () => "make"),
  served("GET", "/users/:id/posts/{post}", (cx) => cx.params),
  served("GET", "/users/me/posts/:post", (cx) => ["me", cx.params]),
  served("GET", "/files/*path", (cx) => cx.params),
  served("GET", "/request", (cx) => cx.request),
  served("GET", "/", (cx) => cx.request),
  served("GET", "/ip", (cx) => cx.ip),
  served("GET", "/slow", async (cx) => {
    begun.push("slow");
    cx.signal.addEventListener("abort", () => aborted.push("slow"));
    await cx.host.sleep(20_000, cx.signal);
    return null;
  }),
  served("GET", "/late", async () => "late"),
  {
    ...served("GET", "/then", () => null),
    run: (cx) => {
      cx.act("A", {}, async (act) => {
        begun.push("then");
        await cx.host.sleep(20_000, act.signal);
        return null;
      });
      cx.act("B", {}, () => {
        aborted.push("went on");
        return null;
      });
    },
  },
  {
    ...served("GET", "/shaped", (cx) => cx.params),
    run: (cx) => {
      const { h, sniff, status = "200", body = "ok" } = cx.params;
      cx.act(
        "A",
        {
          response_on_success: () => ({
            http_code: Number(status),
            headers: { "x-h": h ?? null, "X-Content-Type-Options": sniff ?? null, "Content-Length": "999" },
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
  {
    ...served("GET", "/late-bug", () => null),
    run: (cx) => {
      const success_log = (): never => {
        throw new Error("secret detail");
      };
      cx.act("Waits", { success_log }, async () => null);
      cx.act("Never", {}, () => null);
    },
  },
);

beforeAll(async () => {
  base = await serving(config, { maxBodyBytes: 1_000, runTimeoutMs: 5_000 });
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

test("the type of an answer is believed, unless the configuration says otherwise", async () => {
  const options = async (path: string) => (await ask(path)).headers["x-content-type-options"];
  expect(await Promise.all(["/w", "/shaped", "/nowhere", "/shaped?sniff=none"].map(options))).toEqual([
    "nosniff",
    "nosniff",
    "nosniff",
    "none",
  ]);
});

test("what a caller calls its request is no name of ours", async () => {
  for (const name of ["0b9af1c6-8d4e-1f00-a000-123456789abc", "<b>", "x".repeat(1_000)]) {
    const { headers, ...reply } = await ask("/request", { headers: { "x-request-id": name } });
    expect(headers["x-request-id"]).toMatch(uuid);
    expect(headers["x-request-id"]).not.toBe(name);
    expect(dataOf({ headers, ...reply })).toMatchObject({ id: headers["x-request-id"] });
  }
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
    expect(dataOf(await ask("http://elsewhere.example?a=1"))).toMatchObject({ path: "/", params: { a: "1" } });
  });

  test.each(["*", "ftp://elsewhere.example/w"])("%s is no path", async (target) => {
    expect(await sendRaw(base.url, `OPTIONS ${target} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`)).toMatch(/^HTTP\/1\.1 404 /);
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

describe("runs", () => {
  test("one that waits is answered too", async () => {
    expect(dataOf(await ask("/late"))).toBe("late");
  });

  test("its time is limited", async () => {
    aborted.length = 0;
    const short = await serving(config, { runTimeoutMs: 40 });
    expect(await send(short.url, "/slow")).toMatchObject({
      status: 504,
      text: '{"error":"timeout"}',
      headers: { "x-request-id": expect.stringMatching(uuid) },
    });
    expect(aborted).toEqual(["slow"]);
    await short.trigger.drain(0, 1_000);
  });

  test("a client that goes away cancels it", async () => {
    for (const names of [aborted, begun]) names.length = 0;
    const client = new AbortController();
    const asked = ask("/slow", { signal: client.signal });
    void until(() => expect(begun).toEqual(["slow"])).then(() => client.abort());
    await expect(asked).rejects.toThrow();
    await expect.poll(() => aborted).toEqual(["slow"]);
    expect((await ask("/w")).status).toBe(200);
  });

  test("what has been cancelled does no more", async () => {
    for (const names of [aborted, begun]) names.length = 0;
    const controller = new AbortController();
    const asked = ask("/then", { signal: controller.signal });
    void until(() => expect(begun).toEqual(["then"])).then(() => controller.abort());
    await expect(asked).rejects.toThrow();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(aborted).toEqual([]);
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
    expect(await sendRaw(base.url, `GET ${path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 500 Internal Server Error\r\n/,
    );
  });

  test.each(["/bug", "/late-bug"])("%s of ours tells the caller nothing, and the process lives", async (path) => {
    expect(await ask(path)).toMatchObject({ status: 500, text: '{"error":"internal_error"}' });
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
    const { url, trigger } = await serving(configOf(waiting));
    const answer = send(url, "/wait");
    await expect.poll(() => finish.length).toBe(1);
    const drained = trigger.drain(80, 5_000);
    expect(await send(url, "/readyz")).toMatchObject({ status: 503, text: '{"status":"draining"}' });
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
    const { url, trigger } = await serving(config);
    const answer = send(url, "/slow");
    answer.catch(() => undefined);
    await expect.poll(() => send(url, "/w").then(({ status }) => status)).toBe(200);
    expect(await trigger.drain(0, 50)).toBe(false);
    await expect(answer).rejects.toThrow();
  });
});

test("/readyz names what does not answer to who has a key, and to the log", async () => {
  const [key, wrong] = ["key-of-the-organisation", "key-of-nobody-else-here"];
  const { url, trigger, logged } = await serving(config, {}, { unmet: async () => ["database main of t"], keys: [key] });
  const ready = (headers: Record<string, string>) => send(url, "/readyz", { headers });
  const named = { status: 503, text: '{"status":"unready","unmet":["database main of t"]}' };
  for (const headers of [{}, { authorization: `Bearer ${wrong}` }, { authorization: "Bearer" }, { "x-api-key": "" }])
    expect(await ready(headers)).toMatchObject({ status: 503, text: '{"status":"unready"}' });
  expect(await ready({ authorization: `Bearer ${key}` })).toMatchObject(named);
  expect(await ready({ "x-api-key": key })).toMatchObject(named);
  expect(logged.filter((line) => line.includes("ready"))).toEqual(["warn not ready"]);
  // Whoever tries keys is not heard for a while, whatever they try.
  for (let i = 0; i < 10; i++) await ready({ "x-api-key": `guess-${i}` });
  expect(await ready({ "x-api-key": key })).toMatchObject({ text: '{"status":"unready"}' });
  await trigger.drain(0, 0);
});
