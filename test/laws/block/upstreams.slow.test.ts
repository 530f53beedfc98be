import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type BlockService, blockService, filled as filledWith } from "./service.ts";

// No answer of an upstream, and no other text that an action reads, blocks other requests for long.

/** The largest answer that most actions accept, in bytes. */
const bytes = 16_700_000;

const filled = (part: string | ((i: number) => string), brackets?: readonly [string, string], between?: string): string =>
  filledWith(bytes, part, brackets, between);

const list = (count: number, part: (i: number) => string): string => `[${Array.from({ length: count }, (_, i) => part(i)).join(",")}]`;

const types: Readonly<Record<string, string>> = {
  json: "application/json",
  failed: "application/json",
  text: "text/plain",
  binary: "application/octet-stream",
  events: "text/event-stream",
};

let answer = "";
let upstream: Server;
let service: BlockService;
beforeAll(async () => {
  upstream = createServer(({ url = "" }, response) => {
    const path = url.slice(1).split("?")[0] ?? "";
    response.writeHead(path === "failed" ? 500 : 200, { "content-type": types[path] }).end(answer, path === "binary" ? "latin1" : "utf8");
  });
  await once(upstream.listen(0, "127.0.0.1"), "listening");
  const { port } = upstream.address() as AddressInfo; // it listens on an address
  service = await blockService(fileURLToPath(new URL("upstreams.yaml", import.meta.url)), {
    env: { UPSTREAM: `http://127.0.0.1:${port}`, PIPEWRIGHT_ALLOW_COMMANDS: "true" },
  });
});
afterAll(async () => {
  await service.end();
  upstream.closeAllConnections();
  upstream.close();
});

const answers: readonly (readonly [what: string, path: string, body: () => string])[] = [
  ["numbers", "json", () => filled("1")],
  ["texts", "json", () => filled('"a"')],
  ["different texts", "json", () => filled((i) => `"${i}"`)],
  ["numbers with exponents", "json", () => filled("1e9")],
  ["empty objects", "json", () => list(990_000, () => "{}")],
  ["rows", "json", () => list(990_000, (i) => `{"a":${i % 10}}`)],
  ["different names", "json", () => filled((i) => `"k${i}":1`, ["{", "}"])],
  ["as many different names as may be", "json", () => `{${list(190_000, (i) => `"k${i}":1`).slice(1, -1)}}`],
  ["brackets without end", "json", () => "[".repeat(bytes)],
  ["numbers without an end", "json", () => filled("1").slice(0, -1)],
  ["one long text", "json", () => `"${"\\u0041".repeat(bytes / 6 - 5)}"`],
  ["bytes that are no text", "other", () => "\u00ff".repeat(bytes)],
  ["numbers in bytes without a type", "other", () => filled("1")],
  ["numbers as data_type says", "typed", () => filled("1")],
  ["texts as data_type says", "typed", () => filled('"a"')],
  ["lines", "lines", () => '"a"\n'.repeat(990_000)],
  ["long lines", "lines", () => `${filledWith(4_000_000, "1")}\n`.repeat(4)],
  ["empty lines", "lines", () => "\n".repeat(bytes)],
  ["rows of CSV", "csv", () => `a\n${"1\n".repeat(bytes / 6)}`],
  ["siblings of XML", "xml", () => filled("<b/>", ["<a>", "</a>"], "")],
  ["numbers of a failure", "failed", () => filled("1")],
  ["texts of a failure", "failed", () => filled('"a"')],
  ["pages", "pages", () => `{"a":${filledWith(5_000_000, "1")}}`],
  ["events", "events", () => 'data: {"a":1}\n\n'.repeat(bytes / 15)],
  ["events that are large", "events", () => `data: ${filledWith(1_000_000, "1")}\n\n`.repeat(16)],
  ["texts that a test reads", "tests", () => filled('"a"')],
];

/** Sends a request to an interface and waits for its answer. */
async function asked(path: string, body = ""): Promise<void> {
  const response = await fetch(`${service.url}/${path}`, { method: "POST", body, headers: { "content-type": "application/json" } });
  await response.text();
  expect([200, 422, 500, 502]).toContain(response.status);
}

// Other processes can only lengthen a measurement, so that one try within the limit proves the law.
describe("answers of an upstream", () => {
  test.each(answers)("%s", { retry: 5 }, async (_, path, body) => {
    answer = body();
    await service.measured(() => asked(path));
  });
});

describe("outputs of commands that are JSON", () => {
  test.each(["command", "command_lines"])("%s", { retry: 5 }, (path) => service.measured(() => asked(path)));
});

const within = filledWith(7_500_000, '"a"');

describe("JSON inside of a body", () => {
  test("in Base64", { retry: 5 }, () =>
    service.measured(() => asked("base64", JSON.stringify({ a: Buffer.from(within).toString("base64") }))),
  );
  test("that was packed", { retry: 5 }, () =>
    service.measured(() => asked("unzipped", JSON.stringify({ a: gzipSync(within).toString("base64") }))),
  );
});
