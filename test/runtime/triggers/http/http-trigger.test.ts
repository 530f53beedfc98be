import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sendRaw } from "../../../harness/sockets.ts";
import { ask, base, start, stop, uuid } from "./http-routes.ts";
import { dataOf } from "./http-serving.ts";

beforeAll(start);
afterAll(stop);

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

test("an answer with a status that has no content has none, and no type of it", async () => {
  const got = async (status: number): Promise<unknown> => {
    const text = await sendRaw(base.url, `GET /shaped?status=${status} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`);
    const [head = "", body] = text.split("\r\n\r\n");
    const named = (name: string): string | undefined => new RegExp(`^${name}: (.*)$`, "im").exec(head)?.[1]?.trim();
    return { type: named("content-type"), length: named("content-length"), body };
  };
  expect(await got(204)).toEqual({ body: "" });
  expect(await got(205)).toEqual({ length: "0", body: "" }); // RFC 9110, 15.3.6
  expect(await got(200)).toEqual({ type: "text/plain", length: "2", body: "ok" });
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

describe("ip", () => {
  test.each<[string, Record<string, string>, Record<string, unknown>]>([
    ["the peer", {}, { client: "127.0.0.1", real_ip: null, forwarded_chain: [] }],
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
