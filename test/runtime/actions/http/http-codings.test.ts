import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import type { HttpArgs } from "#runtime/features/actions/http.ts";
import { defaultLimits } from "#runtime/process/host.ts";
import type { Act } from "#runtime/run/run.ts";
import type { Json } from "#runtime/value/json.ts";
import { call, closeUpstreams, upstream } from "./upstreams.ts";

// Content encodings and charsets of responses (spec/language 5.1.3).

afterEach(closeUpstreams);

const plain = Buffer.from('{"a":"ä"}');

async function answered(headers: Record<string, string>, bytes: Buffer, args: Partial<HttpArgs> = {}, status = 200): Promise<Act> {
  const { url } = await upstream((response) => response.writeHead(status, { "content-type": "application/json", ...headers }).end(bytes));
  return call({ url, ...args }, { limits: { ...defaultLimits, maxResponseBytes: 10_000 } });
}

describe("content encodings", () => {
  test.each<[string, Buffer]>([
    ["deflate", deflateSync(plain)],
    ["deflate", deflateRawSync(plain)],
    ["zstd", zstdCompressSync(plain)],
    ["GZIP , identity", gzipSync(plain)],
    ["gzip, gzip", gzipSync(gzipSync(plain))],
    ["deflate, br, gzip", gzipSync(brotliCompressSync(deflateSync(plain)))],
    ["utf-8", plain],
    ["gzip, utf-8", gzipSync(plain)],
  ])("%s is undone", async (encoding, bytes) => {
    expect((await answered({ "content-encoding": encoding }, bytes)).data).toMatchObject({ body: { a: "ä" } });
  });

  test.each<[string, Buffer, string]>([
    ["compress", Buffer.from([0x1f, 0x9d, 0x90]), "http response has the content encoding compress, which is not supported"],
    ["gzip, dcb", Buffer.from([0xff]), "http response has the content encoding dcb, which is not supported"],
    ["br, br, br, br", Buffer.from([0xff]), "http response has more than 3 content encodings"],
    ["gzip", Buffer.from("abc"), "http response is not valid gzip"],
    ["gzip, br", brotliCompressSync(plain), "http response is not valid gzip"],
    ["deflate", Buffer.from([0xff, 0xff]), "http response is not valid deflate"],
    ["zstd", plain, "http response is not valid zstd"],
    ["zstd", zstdCompressSync(Buffer.alloc(10_001)), "http response exceeds 10000 bytes"],
    ["deflate", deflateRawSync(Buffer.alloc(10_001)), "http response exceeds 10000 bytes"],
    ["gzip, gzip", gzipSync(gzipSync(Buffer.alloc(100_000))), "http response exceeds 10000 bytes"],
  ])("%s that cannot be undone fails: %#", async (encoding, bytes, error) => {
    expect(await answered({ "content-encoding": encoding }, bytes)).toMatchObject({ state: "failed", error, data: null, upstream: 502 });
  });

  test.each<[string, Buffer, Json]>([
    ["gzip", Buffer.from("abc"), "abc"],
    ["compress", Buffer.from([0xff]), "/w=="],
    ["gzip", gzipSync(Buffer.alloc(10_001)), gzipSync(Buffer.alloc(10_001)).toString("base64")],
  ])("%s of an unexpected status leaves the status the error", async (encoding, bytes, body) => {
    expect(await answered({ "content-encoding": encoding }, bytes, {}, 503)).toMatchObject({
      state: "failed",
      error: expect.stringMatching(/^http status 503 /),
      data: { status: 503, body },
      upstream: 503,
    });
  });
});

describe("charsets", () => {
  const japanese = Buffer.from("\x1b$B$3$s\x1b(B,a");
  test.each<[string, Buffer, string]>([
    ["utf-16le", Buffer.from("a,b\n1,ä", "utf16le"), "a,b\n1,ä"],
    ["utf-16", Buffer.from("hi", "utf16le"), "hi"],
    ["UTF-16BE", Buffer.from("hi", "utf16le").swap16(), "hi"],
    ["iso-2022-jp", japanese, "こん,a"],
    ["iso-2022-jp", Buffer.from("こ"), "こ"],
    ["utf-16", Buffer.from("odd"), "odd"],
    ["latin1", Buffer.from("ä"), "ä"],
    ["latin1", Buffer.from("ä", "latin1"), "ä"],
    ["no-such", Buffer.from("ä"), "ä"],
  ])("a text in %s: %#", async (charset, bytes, body) => {
    const { data } = await answered({ "content-type": `text/plain; charset=${charset}` }, bytes, { data_type: "text" });
    expect(data).toMatchObject({ body });
  });

  test("rows in UTF-16", async () => {
    const bytes = Buffer.from("a,b\n1,2\n", "utf16le");
    const { data } = await answered({ "content-type": "text/csv; charset=utf-16le" }, bytes, { data_type: "csv" });
    expect(data).toMatchObject({ body: [{ a: "1", b: "2" }] });
  });
});
