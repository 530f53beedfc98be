import { once } from "node:events";
import { connect } from "node:net";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { configOf, type Got, type Sent, send, sendRaw, served } from "../../../harness/sockets.ts";
import { dataOf, type Serving, serving } from "./http-serving.ts";

const json = { "content-type": "application/json" };

describe("the HTTP trigger", () => {
  let base: Serving;
  const ask = (path: string, options?: Sent): Promise<Got> => send(base.url, path, options);

  const config = configOf(
    served("GET", "/w", (cx) => cx.params),
    served("POST", "/echo", (cx) => [cx.body, cx.raw_body]),
    served("GET", "/bodied", (cx) => cx.body),
  );

  beforeAll(async () => {
    base = await serving(config, { maxBodyBytes: 1_000, runTimeoutMs: 5_000 });
  });
  afterAll(() => base.trigger.drain(0, 0));

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

    test.each([
      ["application/json", deep(129), { error: "invalid_json", message: "nested too deeply: more than 128 levels" }],
      ["application/json", "9".repeat(400), { error: "invalid_json", message: "holds a number that is too large" }],
      ["application/x-ndjson", "[1e999]", { error: "invalid_json", message: "holds a number that is too large" }],
      ["application/json", "{", { error: "invalid_json" }],
    ])("a refusal of %s says what is wrong: %.12s", async (type, body, expected) => {
      const got = await ask("/echo", { method: "POST", body, headers: { "content-type": type } });
      expect([got.status, JSON.parse(got.text)]).toEqual([400, expected]);
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
      "GET /w HTTP/1.1\r\n\r\n",
      "GET /w HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n",
      "GET /w HTTP/1.1\r\nhost: a b\r\n\r\n",
      "GET /w HTTP/1.1\r\nhost: a/b\r\n\r\n",
      "GET /w HTTP/1.1\r\nhost: a:b\r\n\r\n",
      "GET http://a@b/w HTTP/1.1\r\nhost: a\r\n\r\n",
      "GET http:///w HTTP/1.1\r\nhost: a\r\n\r\n",
      "GET /w HTTP/9.9\r\nhost: a\r\n\r\n",
      "GET /w HTTP/1.1\r\nhost: a\r\n folded: x\r\n\r\n",
      "POST /echo HTTP/1.1\r\nhost: a\r\ncontent-length: -1\r\n\r\n",
      "POST /echo HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab",
      "POST /echo HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked, gzip\r\n\r\n0\r\n\r\n",
      "POST /echo HTTP/1.0\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n",
      "\u0016\u0003\u0001\u0002\u0000",
      "CONNECT elsewhere.example:443 HTTP/1.1\r\nhost: a\r\n\r\n",
    ])("what is no HTTP is 400: %j", async (bytes) => {
      expect(await sendRaw(base.url, bytes)).toMatch(/^HTTP\/1\.1 400 .*\r\n(?:.*\r\n)*\r\n\{"error":"bad_request"\}$/);
    });

    test("a connection that breaks after a CONNECT harms nobody", async () => {
      const { port, hostname } = new URL(base.url);
      for (let i = 0; i < 20; i++) {
        const socket = connect(Number(port), hostname);
        socket.on("error", () => undefined);
        await once(socket, "connect");
        socket.write("CONNECT a:1 HTTP/1.1\r\nhost: a\r\n\r\n", () => socket.resetAndDestroy());
        await once(socket, "close");
      }
      expect((await send(base.url, "/w")).status).not.toBe(500);
    });

    test.each([
      ["transfer-encoding: gzip, chunked", 501, "not_implemented"],
      ["transfer-encoding: chunked\r\nexpect: the-unexpected", 417, "expectation_failed"],
    ])("%s is %i", async (header, status, error) => {
      const bytes = `POST /echo HTTP/1.1\r\nhost: a\r\nconnection: close\r\n${header}\r\n\r\n2\r\n{}\r\n0\r\n\r\n`;
      const answer = await sendRaw(base.url, bytes);
      expect([answer.split(" ")[1], answer.split("\r\n\r\n")[1]]).toEqual([String(status), `{"error":"${error}"}`]);
    });

    test("chunk extensions without an end are 413", async () => {
      const bytes = `POST /echo HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n2;${"x".repeat(20_000)}\r\nab\r\n0\r\n\r\n`;
      expect(await sendRaw(base.url, bytes)).toMatch(/^HTTP\/1\.1 413 /);
    });

    test("a header block that comes a byte at a time is 408, and others are served meanwhile", async () => {
      const slow = await serving(config, {}, { waits: { request: 150 } });
      const { port, hostname } = new URL(slow.url);
      const socket = connect(Number(port), hostname);
      let answer = "";
      socket.on("data", (chunk) => {
        answer += chunk.toString();
      });
      const closed = new Promise((resolve) => socket.on("close", resolve));
      socket.on("error", () => undefined);
      socket.write("GET /w HTTP/1.1\r\nhost: a\r\nx-slow: ");
      const trickle = setInterval(() => socket.write("x"), 10);
      expect((await send(slow.url, "/w")).status).toBe(200);
      await closed;
      clearInterval(trickle);
      await slow.trigger.drain(0, 0);
      expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    });

    test("a client that goes away in the middle of a body leaves nothing behind", async () => {
      const { port, hostname } = new URL(base.url);
      for (const bytes of ["content-length: 500\r\n\r\nx", "transfer-encoding: chunked\r\n\r\n5\r\nab"]) {
        const socket = connect(Number(port), hostname, () => socket.end(`POST /echo HTTP/1.1\r\nhost: a\r\n${bytes}`));
        await new Promise((resolve) => socket.on("close", resolve).resume());
      }
      expect((await ask("/w")).status).toBe(200);
    });

    test("a request that does not arrive in time is 408", async () => {
      const slow = await serving(config, {}, { waits: { request: 60 } });
      const answer = await sendRaw(slow.url, "POST /echo HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\n\r\nx");
      await slow.trigger.drain(0, 0);
      expect(answer).toMatch(/^HTTP\/1\.1 408 .*\r\n(?:.*\r\n)*\r\n\{"error":"request_timeout"\}$/);
    });
  });
});
