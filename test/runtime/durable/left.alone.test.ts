import type { ServerResponse } from "node:http";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, expect, test } from "vitest";
import { type Served, serve } from "#runtime/process/server.ts";
import type { Config } from "#runtime/run/interface.ts";
import { planned, printOne } from "../../harness/compile.ts";
import { evaluate } from "../../harness/evaluate.ts";
import { send, stub } from "../../harness/sockets.ts";
import { until } from "../../harness/until.ts";
import { type DurablePlace, durable } from "../store/run-stores.ts";

// A run that waits elsewhere takes no memory here (spec/surfaces 14): the collector finds it, however its stay has ended.

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void; // V8 has it by this flag

const config = `
name: orders
interfaces:
  released: { durable: true, output: http, method: POST, actions: [{ name: A, delay: 10m }] }
  taken:
    durable: true
    method: POST
    respond: early
    actions: [{ name: A, http: { url: "a|env::UPSTREAM|/" } }, { name: B, run_when_succeeded: [A], delay: 10m }]
`;

const open: { close: () => unknown }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

/** Serves the configuration, and keeps weak references to its runs. */
async function started(place: DurablePlace, upstream = ""): Promise<{ served: Served; runs: WeakRef<object>[] }> {
  const runs: WeakRef<object>[] = [];
  const module: Config = await evaluate((await printOne(planned(config), { interpret: false })).code);
  const interfaces = module.interfaces.map((target) => ({
    ...target,
    run: (...[cx]: Parameters<typeof target.run>) => {
      runs.push(new WeakRef(cx));
      return target.run(cx);
    },
  }));
  const options = { port: 0, address: "127.0.0.1", noticeMs: 0, metricsBind: undefined, log: () => undefined };
  const served = await serve([{ ...module, interfaces }], {
    ...options,
    env: { PIPEWRIGHT_DATABASE_URL: place.address, UPSTREAM: upstream },
  });
  open.push(served);
  return { served, runs };
}

test.each(durable)("$name: a run that was released is gone", async ({ open: opened }) => {
  const place = await opened();
  open.push(place);
  const { served, runs } = await started(place);
  expect((await send(served.url, "/released", { method: "POST", body: "{}" })).status).toBe(202);
  expect(runs).toHaveLength(1);
  await until(() => {
    collect();
    expect(runs[0]?.deref() === undefined).toBe(true);
  });
});

test.each(durable)("$name: a run that was ended elsewhere is gone", async ({ open: opened }) => {
  const place = await opened();
  open.push(place);
  const asked: ServerResponse[] = [];
  const upstream = await stub((response) => void asked.push(response));
  open.push(upstream);
  const { served, runs } = await started(place, upstream.url);
  const { text } = await send(served.url, "/taken", { method: "POST", body: "{}" });
  const { request_id: id } = JSON.parse(text);
  await until(() => expect(asked).toHaveLength(1));
  expect(await place.node().cancel(id)).toBe("cancelled");
  asked[0]?.end("ok");
  await until(() => {
    collect();
    expect(runs[0]?.deref() === undefined).toBe(true);
  });
});
