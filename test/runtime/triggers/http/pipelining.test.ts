import type { ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import type { Handler } from "#runtime/triggers/http/one-by-one.ts";
import { boundedServer, ended, listenAt } from "#runtime/triggers/http/server.ts";
import { untilTrue } from "../../../harness/until.ts";

// A client may send requests before it has read the answers to earlier ones (RFC 9112, 9.3.2). One of them is handled at a time, so that
// a connection holds one answer, however many requests fit in a packet.

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function asking(handler: Handler, requests: string): Promise<{ readonly client: Socket; readonly got: () => string }> {
  const bounded = boundedServer(handler, { request: 60_000, keepAlive: 60_000 }, () => false);
  const { hostname, port } = new URL(await listenAt(bounded.server, "127.0.0.1", 0));
  const client = connect(Number(port), hostname);
  let got = "";
  client
    .on("error", () => undefined)
    .on("data", (bytes: Buffer) => {
      got += bytes.toString();
    });
  client.write(requests);
  ends.push(
    () => client.destroy(),
    () => ended(bounded),
  );
  return { client, got: () => got };
}

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`;
const answers = (text: string): number => text.split("HTTP/1.1 200").length - 1;

test("a request is handled when those before it are answered", async () => {
  const begun: string[] = [];
  const open: ServerResponse[] = [];
  const post = "POST /4 HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\ncontent-length: 2\r\n\r\nhi";
  const { got } = await asking(
    (message, response) => {
      begun.push(message.url ?? "");
      message.resume().once("end", () => open.push(response));
    },
    get("/1") + get("/2") + get("/3") + post,
  );
  for (const path of ["/1", "/2", "/3", "/4"]) {
    await untilTrue(() => open.length > 0);
    expect(begun.splice(0)).toEqual([path]);
    open.pop()?.end(`answer to ${path}`);
  }
  await untilTrue(() => got().includes("answer to /4"));
  expect(got().match(/answer to \/\d/g)).toEqual(["answer to /1", "answer to /2", "answer to /3", "answer to /4"]);
});

test("behind too many the connection closes, and no more are handled", async () => {
  let begun = 0;
  const { client, got } = await asking((_, response) => {
    begun += 1;
    response.end("x");
  }, get("/").repeat(5_000));
  await untilTrue(() => client.closed);
  expect([begun, answers(got()), got().includes("Connection: close")]).toEqual([101, 101, true]);
});

test("a connection that was quiet may send as many again", async () => {
  const { client, got } = await asking((_, response) => void response.end("x"), get("/").repeat(90));
  await untilTrue(() => answers(got()) === 90);
  client.write(get("/").repeat(90));
  await untilTrue(() => answers(got()) === 180);
});

test("what waits when its client goes is not handled", async () => {
  let begun = 0;
  let gone = false;
  const { client } = await asking((_, response) => {
    begun += 1;
    response.once("close", () => {
      gone = true;
    });
  }, get("/").repeat(3));
  await untilTrue(() => begun > 0);
  client.destroy();
  await untilTrue(() => gone);
  await new Promise(setImmediate);
  expect(begun).toBe(1);
});
