import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import * as undici from "undici";
import { expect, test } from "vitest";
import type { Call } from "#runtime/outgoing/connection.ts";
import { connectionsOf } from "#runtime/outgoing/connections.ts";

setFlagsFromString("--expose-gc");
// The flag adds the function to contexts that are made after it.
const collect = runInNewContext("gc") as () => void;

test("a call that has ended is forgotten, although others still wait in the line in which it was", async () => {
  const asked: ServerResponse[] = [];
  const server = createServer((_, response) => void asked.push(response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const bounds = { usual: 1, most: 1, patience: 1_000_000 };
  const through = connectionsOf(undici, undici.buildConnector({}), () => performance.now(), bounds);
  const calls: WeakRef<Call>[] = [];
  const ends: Promise<void>[] = [];
  for (let i = 0; i < 4; i++) {
    const { promise, resolve } = Promise.withResolvers<void>();
    const call: Call = { onResponseEnd: () => resolve(), onResponseError: () => resolve() };
    calls.push(new WeakRef(call));
    ends.push(promise);
    through.dispatch({ origin, path: `/${i}`, method: "GET" }, call);
  }
  // The first has a connection at once, the second one after it. The third has it now, and the last one still waits.
  for (const i of [0, 1, 2]) {
    await expect.poll(() => asked.length).toBe(i + 1);
    if (i < 2) asked[i]?.end("{}");
    if (i < 2) await ends[i];
  }
  collect();
  expect(calls.map((call) => call.deref() !== undefined)).toEqual([false, false, true, true]);
  await through.destroy();
  await Promise.all(ends);
  server.closeAllConnections();
  server.close();
});
