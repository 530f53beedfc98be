import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import type { HttpArgs } from "#runtime/features/actions/http.ts";
import { defaultLimits } from "#runtime/process/host.ts";
import type { Act } from "#runtime/run/run.ts";
import { url_segment } from "#runtime/value/holes.ts";
import { call, closeUpstreams, echo, upstream } from "./upstreams.ts";

afterEach(closeUpstreams);

describe("request", () => {
  test("GET without a body, POST with one", async () => {
    const { url, seen } = await echo();
    await call({ url });
    await call({ url, body: { n: 5 } });
    await call({ url, body: { n: 5 }, method: "put" });
    expect(seen.map(({ method, body }) => [method, body])).toEqual([
      ["GET", ""],
      ["POST", '{"n":5}'],
      ["PUT", '{"n":5}'],
    ]);
  });

  test("an unset body is none, and the method does not depend on data", async () => {
    const { url, seen } = await echo();
    await call({ url, body: null });
    expect(seen[0]).toMatchObject({ method: "POST", body: "" });
    expect(seen[0]?.headers["content-type"]).toBeUndefined();
  });

  test.each<[string, Partial<HttpArgs>, string, string]>([
    ["a list is JSON", { body: [1] }, "application/json", "[1]"],
    ["a number is JSON", { body: 5 }, "application/json", "5"],
    ["a JSON template keeps its layout", { body: '{ "a":  1 }', body_is_json: true }, "application/json", '{ "a":  1 }'],
    ["text is text", { body: '{"a":1}' }, "text/plain; charset=utf-8", '{"a":1}'],
    [
      "a content type of the author's",
      { body: { a: 1 }, headers: { "Content-Type": "application/x+json" } },
      "application/x+json",
      '{"a":1}',
    ],
    [
      "a form",
      { body: { a: "x y", l: [1, "ü"], n: null, o: { k: 1 } }, headers: { "content-type": "application/x-www-form-urlencoded" } },
      "application/x-www-form-urlencoded",
      "a=x+y&l=1&l=%C3%BC&o=%7B%22k%22%3A1%7D",
    ],
  ])("body: %s", async (_, args, type, body) => {
    const { url, seen } = await echo();
    await call({ url, ...args });
    expect(seen[0]).toMatchObject({ body, headers: { "content-type": type } });
  });

  test("header names are lower-cased, null drops a header, framing is ours", async () => {
    const { url, seen } = await echo();
    await call({
      url,
      headers: { "X-A": 1, "x-a": "later", accept: null, "Content-Length": "999", Connection: "upgrade", "x-o": { k: [1] }, "x-u": "é→" },
    });
    const headers = seen[0]?.headers ?? {};
    expect(headers).toMatchObject({ "x-a": "later", "x-o": '{"k":[1]}', "user-agent": "pipewright" });
    expect(headers.accept).toBeUndefined();
    expect(headers["content-length"]).toBeUndefined();
    expect(Buffer.from(String(headers["x-u"]), "latin1").toString()).toBe("é→");
  });

  test.each([
    ["x-a", "v\r\nx-evil: 1", "header x-a: invalid character"],
    ["x-a", "v\u0000", "header x-a: invalid character"],
    ["x-a", "v\u0001", "header x-a: invalid character"],
    ["x a", "v", "header x a: invalid character"],
  ])("a header that could break the message is refused: %j %j", async (name, value, error) => {
    const { url, seen } = await echo();
    const { state, error: found } = await call({ url, headers: { [name]: value } });
    expect([state, found, seen.length]).toEqual(["failed", error, 0]);
  });

  test.each([
    ["", ""],
    [null, ""],
    ["example.org/x", "example.org/x"],
    ["ftp://127.0.0.1/x", "ftp://127.0.0.1/x"],
    ["http://", "http://"],
    ["file:///etc/passwd", "file:///etc/passwd"],
    [{ a: 1 }, '{\\"a\\":1}'],
    ["http://user:secret@exa mple/x?key=secret#secret", "http://***@exa mple/x…"],
    ["user:secret@example.org/x", "***@example.org/x"],
    ["http://user:secret#9@127.0.0.1:1/x", "http://***…"],
    ["http://user:a@sec ret?9@exa mple/x", "http://***…"],
    ["user:secret//9@exa mple/x", "***@exa mple/x"],
    ["http://exa mple/x?mail=a@b.example&key=secret", "http://***…"],
    ["a\nb", "a\\nb"],
    ["x".repeat(300), `${"x".repeat(200)}…`],
  ])("invalid url %j", async (url, shown) => {
    expect(await call({ url })).toMatchObject({
      state: "failed",
      error: expect.stringContaining(`invalid url '${shown}': `),
      data: null,
      internal: true,
    });
  });

  test("a user and password in the URL travel as a header and stay out of errors", async () => {
    const { url, seen } = await echo();
    await call({ url: url.replace("//", "//us%20er:p%40ss@") });
    expect(seen[0]?.headers.authorization).toBe(`Basic ${Buffer.from("us er:p@ss").toString("base64")}`);
    const failed = await call({ url: "http://user:secret@127.0.0.1:1/x" });
    expect(failed.error).toMatch(/^http connect failed: .*ECONNREFUSED/);
    expect(failed.error).not.toContain("secret");
  });

  test.each([".", "..", "%2e", "%2E%2e", ".%2e"])("a path hole that is %j is refused", (value) => {
    expect(() => url_segment(value)).toThrow("unsafe path segment");
  });

  test("other path holes are encoded, escapes are kept", () => {
    expect(["a/b", "...", "a b?c#d", "%41", "%", ""].map(url_segment)).toEqual(["a%2Fb", "...", "a%20b%3Fc%23d", "%41", "%25", ""]);
  });
});

describe("result", () => {
  const decoded = async (headers: Record<string, string | string[]>, body: string | Buffer, args: Partial<HttpArgs> = {}): Promise<Act> => {
    const { url } = await upstream((response) => response.writeHead(200, headers).end(body));
    return call({ url, ...args });
  };
  const json = { "content-type": "application/json" };

  test("status, headers and body, in this order", async () => {
    const { data } = await decoded({ ...json, "X-K": "v", "set-cookie": ["a=1", "b=2"], via: ["x", "y"] }, '{"a":1}');
    expect(Object.keys(data as object)).toEqual(["status", "headers", "body"]);
    expect(data).toMatchObject({ status: 200, headers: { "x-k": "v", "set-cookie": ["a=1", "b=2"], via: "x, y" }, body: { a: 1 } });
  });

  test.each<[string, string | undefined, string | Buffer, unknown]>([
    ["empty", "application/json", "", null],
    ["JSON", "application/json; charset=utf-8", " [1]", [1]],
    ["JSON by suffix", "application/problem+json", '"x"', "x"],
    ["JSON with a byte order mark", "application/json", '\ufeff{"a":1}', { a: 1 }],
    ["broken JSON is its text", "application/json", "{", "{"],
    ["JSON null", "application/json", "null", null],
    ["text that looks like an object", "text/html", '{"a":1}', { a: 1 }],
    ["text that only starts like one", "text/plain", "[x", "[x"],
    ["text that looks like a number", "text/plain", "12", "12"],
    ["no content type", undefined, "hi", "hi"],
    ["bytes", "application/json", Buffer.from([0xff, 0xfe]), "//4="],
    ["a deep structure is not walked", "application/json", "[".repeat(200) + "]".repeat(200), "[".repeat(200) + "]".repeat(200)],
  ])("%s", async (_, type, body, expected) => {
    const { data } = await decoded(type === undefined ? {} : { "content-type": type }, body);
    expect(data).toMatchObject({ body: expected });
  });

  test("data_type decides instead of the content type", async () => {
    expect((await decoded(json, '{"a":1}', { data_type: "text" })).data).toMatchObject({ body: '{"a":1}' });
    expect((await decoded({ "content-type": "text/plain" }, "12", { data_type: "json" })).data).toMatchObject({ body: 12 });
    expect((await decoded({}, '{"a":1}\n\r\n\n{"a":2}\n', { data_type: "ndjson" })).data).toMatchObject({ body: [{ a: 1 }, { a: 2 }] });
    expect(await decoded(json, "{", { data_type: "json" })).toMatchObject({
      state: "failed",
      error: "http response is not JSON",
      upstream: 502,
    });
    expect(await decoded(json, "1", { data_type: "yaml" })).toMatchObject({ state: "failed" });
  });

  test("rows of CSV and elements of XML", async () => {
    expect((await decoded({}, '\ufeffa,b\r\n1,"x, y"\n2\n', { data_type: "csv" })).data).toMatchObject({
      body: [
        { a: "1", b: "x, y" },
        { a: "2", b: null },
      ],
    });
    expect((await decoded({}, '<r n="1"><i>a</i><i>b</i></r>', { data_type: "xml" })).data).toMatchObject({
      body: { r: { "@n": "1", i: ["a", "b"] } },
    });
    expect(await decoded({}, "a,a\n", { data_type: "csv" })).toMatchObject({
      state: "failed",
      error: 'http response: duplicate column "a"',
      upstream: 502,
    });
    expect(await decoded({}, "<r>", { data_type: "xml" })).toMatchObject({
      error: expect.stringMatching(/^http response: invalid XML: line 1/),
    });
  });

  test("a compressed response is inflated within the limit", async () => {
    const bytes = gzipSync(JSON.stringify({ a: "x".repeat(5_000) }));
    const { data } = await decoded({ ...json, "content-encoding": "gzip" }, bytes);
    expect(data).toMatchObject({ body: { a: "x".repeat(5_000) } });
    const { url } = await upstream((response) => response.writeHead(200, { "content-encoding": "gzip" }).end(bytes));
    const limits = { ...defaultLimits, maxResponseBytes: 1_000 };
    expect(await call({ url }, { limits })).toMatchObject({ state: "failed", error: "http response exceeds 1000 bytes" });
  });

  test("a response above the limit fails", async () => {
    const { url } = await upstream((response) => response.end("x".repeat(70_000)));
    const failed = await call({ url }, { limits: { ...defaultLimits, maxResponseBytes: 65_536 } });
    expect(failed).toMatchObject({ state: "failed", error: "http response exceeds 65536 bytes", data: null, upstream: 502 });
  });
});

describe("expect_status", () => {
  const status = async (code: number, args: Partial<HttpArgs> = {}): Promise<Act> => {
    const { url } = await upstream((response) => response.writeHead(code).end("no"));
    return call({ url, ...args });
  };

  test("2xx and 304 by default; a miss keeps the whole result", async () => {
    expect((await status(304)).state).toBe("succeeded");
    const failed = await status(404);
    expect(failed.error).toBe("http status 404 is not in expect_status (2xx, 304); to accept it set expect_status: [2xx, 404]");
    // No matcher can name a status beyond 599.
    expect((await status(600)).error).toBe("http status 600 is not in expect_status (2xx, 304)");
    expect(failed).toMatchObject({ state: "failed", upstream: 404, internal: false, data: { status: 404, body: "no" } });
  });

  test.each<[number, NonNullable<HttpArgs["expect_status"]>, string]>([
    [404, 404, "succeeded"],
    [404, "404", "succeeded"],
    [404, ["2xx", "4xx"], "succeeded"],
    [599, "any", "succeeded"],
    [200, 403, "failed"],
    [500, "2xx", "failed"],
    [304, "2xx", "failed"],
  ])("%d in %j: %s", async (code, expect_status, state) => {
    expect((await status(code, { expect_status })).state).toBe(state);
  });

  test("a missed status is the error even when the body is not what data_type says", async () => {
    const failed = await status(500, { data_type: "json" });
    expect(failed).toMatchObject({ error: expect.stringMatching(/^http status 500/), data: { body: "no" } });
  });
});
