import { afterAll, beforeAll, expect, test } from "vitest";
import { background } from "#runtime/run/end/background.ts";
import { HttpServer } from "#runtime/triggers/http-server.ts";
import { offlineHost } from "../../harness/offline-host.ts";
import { openedBy } from "../../harness/opened.ts";
import { upstream } from "../../harness/peers/upstream.ts";
import { type Stub, send } from "../../harness/sockets.ts";
import { bothWays, heldTo } from "./held.ts";

// Effects beside the actions of a run, which never fail by them: a refusal is an error in the log, and nothing is done.

let world: Stub;
beforeAll(async () => {
  const headers = { "content-type": "text/event-stream" };
  world = await upstream([{ path: "/words", headers, body: 'data: {"choices":[{"delta":{"content":"hi"}}]}\n\ndata: [DONE]\n\n' }]);
});
afterAll(() => world.close());

/** Records of the log behind one request, and its status. */
async function logOf(reviewed: string, served: string, interpret: boolean) {
  const log: string[] = [];
  const record = (level: string, msg: string): void => void log.push(`${level} ${msg}`);
  const host = offlineHost({ env: {}, log: record }, Number(new URL(world.url).port));
  const { url, close } = await openedBy(HttpServer)(host, await heldTo(reviewed, served, interpret));
  try {
    const { status } = await send(url, "/a", { method: "POST" });
    await background(host).ended();
    return { status, log: log.filter((line) => line.includes("manifest")) };
  } finally {
    await close();
    await host.close();
  }
}

const streamed = (channel: string): string =>
  `name: shop\ninterfaces:\n  a:\n    method: POST\n    stream: { from: A, channel: ${channel} }\n    actions:\n      - { name: A, http: { url: "http://api.example/words", stream: true } }\n`;

test.each(bothWays)("%s: a stream is forwarded to no channel that is not listed", async (_, interpret) => {
  const refused = ["error stream: manifest: channel 'staff' is not listed for interface 'a'; nothing is forwarded"];
  expect(await logOf(streamed("room"), streamed("staff"), interpret)).toEqual({ status: 200, log: refused });
  expect(await logOf(streamed("room"), streamed("room"), interpret)).toEqual({ status: 200, log: [] });
});

const recorded = (logs: string): string =>
  `name: shop\nglobal:\n  databases: { main: { driver: sqlite, conn_string: "sqlite::memory:" } }\ninterfaces:\n  a:\n    method: POST\n    response: { logs: [${logs}] }\n    actions: [{ name: A, database: main, query: SELECT 1 }]\n`;

test.each(bothWays)("%s: no record of a run goes to a table that is not listed", async (_, interpret) => {
  const toTable = recorded("{ on: any, database: main }");
  const refused = [
    "error the record of a run is lost: manifest: table 'pipewright_log' (insert) of database 'main' is not listed for interface 'a'",
  ];
  expect(await logOf(recorded("{ on: any }"), toTable, interpret)).toEqual({ status: 200, log: refused });
  expect(await logOf(toTable, toTable, interpret)).toEqual({ status: 200, log: [] });
});
