import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createHost } from "#runtime/process/host.ts";
import { receiveFormData } from "#runtime/triggers/http/form-data.ts";
import { Pieces } from "#runtime/triggers/http/pieces.ts";
import { HttpServer } from "#runtime/triggers/http-server.ts";
import { configOf, type Got, send, served } from "../../../harness/sockets.ts";

// Requests of the type multipart/form-data (spec/surfaces 1).

let trigger: HttpServer;
let url: string;
beforeAll(async () => {
  const host = createHost({ env: {}, limits: { maxParts: 3, maxBodyBytes: 2_000 } });
  trigger = new HttpServer({ host, configs: [configOf(served("POST", "/f", (cx) => [cx.body, cx.raw_body]))], unmet: async () => [] });
  url = await trigger.listen("127.0.0.1", 0);
});
afterAll(() => trigger.drain(0, 0));

const post = (body: string | Buffer, headers: Record<string, string> = {}): Promise<Got> =>
  send(url, "/f", { method: "POST", body, headers: { "content-type": "multipart/form-data; boundary=x", ...headers } });

const part = (head: string, content: string): string => `--x\r\ncontent-disposition: form-data; ${head}\r\n\r\n${content}\r\n`;
const end = "--x--\r\n";

const read = ({ text }: Got): unknown => JSON.parse(text).data.A.data[0];

describe("a form", () => {
  test("has fields that are texts and files that are Base64", async () => {
    const file = `--x\r\nContent-Disposition: form-data; name="f"; filename="a b.png"\r\nContent-Type: image/png\r\n\r\n\x00\xff\r\n--x--\r\n`;
    const got = await post(Buffer.from(part('name="n"', "1") + file, "latin1"));
    expect(read(got)).toEqual({ n: "1", f: { filename: "a b.png", mime: "image/png", size: 2, b64: "AP8=" } });
  });

  test("may hold the character that stands for another, and bytes that are no text in files", async () => {
    const file = `--x\r\ncontent-disposition: form-data; name="f"; filename="f"\r\n\r\n\xff\r\n`;
    const body = Buffer.concat([Buffer.from(part('name="n"', "\ufffd")), Buffer.from(file, "latin1"), Buffer.from(end)]);
    expect(read(await post(body))).toMatchObject({ n: "\ufffd", f: { size: 1, b64: "/w==" } });
  });

  test("keeps what was sent in raw_body", async () => {
    const sent = `${part('name="n"', "é")}${end}`;
    expect(JSON.parse((await post(sent)).text).data.A.data[1]).toBe(sent);
  });

  test("makes a list of a name that is repeated, whatever the name", async () => {
    const names = ['name="a"', 'name="__proto__"', 'name="a"'];
    const got = await post(names.map((name, i) => part(name, String(i))).join("") + end);
    expect(Object.entries(read(got) as object)).toEqual([
      ["a", ["0", "2"]],
      ["__proto__", "1"],
    ]);
  });

  test("may be compressed", async () => {
    const got = await post(gzipSync(`${part('name="n"', "z".repeat(1_500))}${end}`), { "content-encoding": "gzip" });
    expect(read(got)).toEqual({ n: "z".repeat(1_500) });
  });

  test.each([
    ['a \\"b\\".txt', 'a "b".txt'],
    ['\\"', '"'],
    ['a\\"; b', 'a"; b'],
    ["C:\\dir\\f.txt", "C:\\dir\\f.txt"],
    ["a\\\\", "a\\\\"],
    ["a%22b", 'a"b'],
    ["ends\\", "ends\\"],
  ])("has a file whose name is written %j", async (written, filename) => {
    const content = 'content-disposition: form-data; name="a\\"b"';
    const got = await post(part(`name="f"; filename="${written}"`, content) + end);
    expect(read(got)).toEqual({
      f: { filename, mime: "text/plain", size: content.length, b64: Buffer.from(content).toString("base64") },
    });
  });

  test("may have its delimiter inside a line of a part", async () => {
    expect(read(await post(part('name="a"', "1 --x 2") + part('name="b"', "--X") + end))).toEqual({ a: "1 --x 2", b: "--X" });
  });

  test("may have blanks behind its delimiters", async () => {
    const head = "content-disposition: form-data; name=";
    const got = await post(`--x \t\r\n${head}"a"\r\n\r\n1 \t\r\n--x  \r\n${head}"b\\"c"\r\n\r\n2 \r\n--x-- \t\r\n`);
    expect(read(got)).toEqual({ a: "1 \t", 'b"c': "2 " });
  });

  test("may have blanks around the semicolons of a disposition", async () => {
    const got = await post(`--x\r\ncontent-disposition: form-data \t;name="a ; b" ; filename="c ;\\" d.txt"\r\n\r\n1 ; 2\r\n--x--`);
    expect(read(got)).toEqual({ "a ; b": { filename: 'c ;" d.txt', mime: "text/plain", size: 5, b64: "MSA7IDI=" } });
  });

  test("may have headers that go on in a second line, as Python's email package writes them", async () => {
    const head = "content-disposition: form-data; name=";
    const got = await post(
      `--x\r\nContent-Type:\r\n text/plain\r\n${head}"a";\r\n\tfilename="b.txt"\r\n\r\n1\r\n 2\r\n--x\r\n${head}"c"\r\n\r\n3\r\n 4\r\n--x--`,
    );
    expect(read(got)).toEqual({ a: { filename: "b.txt", mime: "text/plain", size: 5, b64: "MQ0KIDI=" }, c: "3\r\n 4" });
  });

  test("is counted by the boundary that it is read by, however the header writes it", async () => {
    const many = Array.from({ length: 5 }, (_, i) => part(`name="n${i}"`, "1")).join("") + end;
    for (const type of [
      'multipart/form-data; a="; boundary=AA"; boundary=x',
      'multipart/form-data; boundary="\\x"',
      "multipart/form-data; BOUNDARY=x",
    ])
      expect((await post(many, { "content-type": type })).status).toBe(413);
    for (const type of ["multipart/form-data", 'multipart/form-data; boundary="\\"x"', 'multipart/form-data; boundary=""'])
      expect((await post(many, { "content-type": type })).status).toBe(400);
  });

  test("may be empty, with quotes around the boundary", async () => {
    expect(read(await post("--a b--\r\n", { "content-type": 'multipart/form-data; charset=utf-8; boundary="a b"' }))).toEqual({});
  });
});

describe("a form is refused", () => {
  test.each([
    ["of another boundary", `--y\r\n`, {}],
    ["that does not end", part('name="a"', "1"), {}],
    ["without names", `--x\r\n\r\n1\r\n${end}`, {}],
    ["without a boundary", end, { "content-type": "multipart/form-data" }],
    ["with a text that is not UTF-8", Buffer.from(part('name="a"', "caf\xe9 \xef\xbf\xbd") + end, "latin1"), {}],
    ["with an empty boundary", end, { "content-type": 'multipart/form-data; boundary=""' }],
  ] satisfies [string, string | Buffer, Record<string, string>][])("%s", async (_, body, headers) => {
    const got = await post(body, headers);
    expect([got.status, got.text]).toEqual([400, '{"error":"invalid_form_data"}']);
  });

  test("with headers of more than a MiB", async () => {
    const take = async (text: string): Promise<unknown> => {
      const bytes = Buffer.from(text);
      const got = await receiveFormData(new Pieces([bytes]), bytes, "multipart/form-data; boundary=x", 3);
      return "code" in got ? got.status : 200;
    };
    const headed = (count: number): string => `--x\r\n${"X: y\r\n".repeat(count)}content-disposition: form-data; name="a"\r\n\r\n1\r\n`;
    expect(await take(headed(87_000) + headed(87_000) + end)).toBe(200);
    expect(await take(headed(87_000) + headed(90_000) + end)).toBe(413);
    expect(await take(`--x\r\n${"X: y\r\n".repeat(200_000)}`)).toBe(413);
    expect(await take(part('name="a"', "y".repeat(2_000_000)) + end)).toBe(200);
  });

  test("of more parts than the limit, and too large a one", async () => {
    const parts = (n: number): string => part('name="a"', "1").repeat(n) + end;
    expect((await post(parts(3))).status).toBe(200);
    expect([(await post(parts(4))).status, (await post(part('name="a"', "1".repeat(2_000)) + end)).status]).toEqual([413, 413]);
    expect((await post(gzipSync(part('name="a"', "1".repeat(100_000)) + end), { "content-encoding": "gzip" })).status).toBe(413);
  });
});
