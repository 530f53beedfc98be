import { request } from "node:http";
import { afterEach, describe, expect, test } from "vitest";
import type { JsonObject } from "#runtime/value/json.ts";
import { load } from "../../../compiler/7-link/load.ts";
import { planTexts, printAll } from "../../../compiler/pipeline.ts";
import { ownFolder } from "../../harness/captured.ts";
import { until } from "../../harness/until.ts";
import { type ConsoleService, config, consoleService, key } from "./console-service.ts";

// The console on the address of the admin API (spec/surfaces 21): its answers, and the keys that they need.

const ended: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ended.splice(0).reverse()) await end();
});

async function started(...texts: readonly string[]): Promise<ConsoleService> {
  const folder = ownFolder();
  ended.push(folder.remove);
  const one = await consoleService(folder.env, ...texts);
  ended.push(() => one.served.close());
  return one;
}

const recordedRuns = (one: ConsoleService, count: number): Promise<JsonObject[]> =>
  until(async () => {
    const runs = (await one.told("/api/v1/runs")).runs as JsonObject[];
    if (runs.length < count) throw new Error(`${runs.length} of ${count} runs are recorded`);
    return runs;
  });

describe("who may see what", () => {
  test("the page holds nothing of the service, may run its own script alone, and asks its own origin", async () => {
    const one = await started();
    const page = await one.ask("/console", { headers: {} });
    expect(page.status).toBe(200);
    const policy = page.headers["content-security-policy"] ?? "";
    expect(policy).toMatch(
      /^default-src 'self'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; connect-src 'self'; img-src 'self' data:;/,
    );
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain("unsafe");
    expect(page.headers).toMatchObject({ "cache-control": "no-store", "x-content-type-options": "nosniff" });
    expect(page.headers["access-control-allow-origin"]).toBeUndefined();
    for (const word of ["Shop", "/orders", "canary", "shop.yaml"]) expect(page.text).not.toContain(word);
    expect((await one.ask("/console", { headers: { host: "evil.example" } })).status).toBe(403);
    expect((await one.ask("/console", { headers: { "sec-fetch-site": "cross-site" } })).status).toBe(403);
    expect((await one.ask("/console", { method: "POST" })).status).toBe(405);
  });

  test("everything else needs a key", async () => {
    const one = await started();
    for (const path of ["/api/v1/map", "/api/v1/interface?config=Shop&interface=order", "/api/v1/figures", "/api/v1/runs/live"])
      expect([path, (await one.ask(path, { headers: {} })).status]).toEqual([path, 401]);
  });

  test("a service that was linked without a console has none", async () => {
    const folder = ownFolder();
    ended.push(folder.remove);
    const { shown } = await load(await printAll(planTexts([{ file: "shop.yaml", text: config }])));
    expect(shown).toBeUndefined();
  });
});

describe("what it tells", () => {
  test("the map: how interfaces are reached and guarded, when they run next", async () => {
    const one = await started();
    const { total, interfaces, next } = await one.told("/api/v1/map");
    expect([total, next]).toEqual([3, null]);
    expect(interfaces).toMatchObject([
      {
        interface: "order",
        line: 8,
        summary: "Takes an order.",
        reached: [{ kind: "http", text: "POST /orders/:shop" }],
        policy: ['ip {"deny":["203.0.113.0/24"]} (inherited)', 'source "client"'],
        contract: { input: true, output: false },
        capture: { mode: "all", open: true },
        served: true,
      },
      { interface: "each", reached: [{ kind: "http", text: "GET /each" }], capture: null },
      { interface: "nightly", reached: [{ kind: "schedule", text: "0 3 * * * Europe/Berlin" }] },
    ]);
    const times = (interfaces as { next_runs?: string[] }[])[2]?.next_runs ?? [];
    expect(times.map((time) => new Date(time).toLocaleTimeString("en-GB", { timeZone: "Europe/Berlin" }))).toEqual(
      Array(3).fill("03:00:00"),
    );
    const first = await one.told("/api/v1/map?limit=2");
    expect((await one.told(`/api/v1/map?limit=2&cursor=${first.next}`)).interfaces).toHaveLength(1);
    expect(await one.told("/api/v1/map?limit=x")).toMatchObject({ error: "invalid_param" });
    expect(await one.told("/api/v1/map?config=Shop")).toMatchObject({ error: "invalid_param" });
  });

  test("an interface: its graph, its YAML and the printed lines that come from each", async () => {
    const one = await started();
    const page = await one.told("/api/v1/interface?config=Shop&interface=order");
    const names = (page.nodes as { name: string; after: { name: string; why: string }[] }[]).map(({ name, after }) => [
      name,
      after.map(({ name: other, why }) => `${other} ${why}`),
    ]);
    expect(names).toEqual([
      ["Order", []],
      ["Stock", ["Order run_when_succeeded"]],
      ["Price", ["Order run_when_succeeded"]],
      ["Row", ["Stock run_when_succeeded", "Price run_when_succeeded"]],
      ["Alarm", ["Row run_when_failed"]],
    ]);
    expect(page.needs).toEqual({ env: ["CURRENCY"], vars: [], secrets: ["TOKEN"] });
    expect(page.schemas).toMatchObject({ input_example: { n: 2 } });
    const { first, lines } = page.yaml as { first: number; lines: string[] };
    expect([first, lines[0], lines.at(-1)]).toEqual([8, "  order:", expect.stringContaining("Alarm")]);
    const row = first + lines.findIndex((text) => text.includes("name: Row"));
    const printed = (page.code as { text: string; line: number }[]).filter(({ line }) => line === row).map(({ text }) => text);
    expect(printed.join("\n")).toContain('cx.act("Row"');
    const loop = await one.told("/api/v1/interface?config=Shop&interface=each");
    expect((loop.nodes as JsonObject[])[1]).toMatchObject({ name: "Loop", does: "lookup", inside: [{ name: "One" }] });
    expect((await one.ask("/api/v1/interface?config=Shop&interface=none")).status).toBe(404);
  });

  test("the figures of what has run since the process began, whether it is recorded or not", async () => {
    const one = await started();
    for (const n of [1, 2, 3]) await one.order(n);
    await until(async () =>
      expect(await one.told("/api/v1/figures")).toMatchObject({ interfaces: [{ interface: "order", runs: 3, failed: 0 }] }),
    );
    expect((await one.told("/api/v1/figures?interface=each")).interfaces).toEqual([]);
  });

  test("a run as a test, without its secrets", async () => {
    const one = await started();
    await one.order(1);
    const [run] = await recordedRuns(one, 1);
    const saved = await one.ask(`/api/v1/runs/${run?.run_uuid}/test`);
    expect(saved.headers["content-disposition"]).toBe(`attachment; filename="run-${String(run?.run_uuid).slice(0, 8)}.test.yaml"`);
    expect(saved.text).toMatch(/^# Run .*\n(?:# .*\n)*tests:\n {2}- name: answers 200 /);
    expect(saved.text).not.toContain("canary-secret");
    expect((await one.ask("/api/v1/runs/00000000-0000-4000-8000-000000000000/test")).status).toBe(404);
  });
});

describe("the live tail", () => {
  test("tells runs as they are recorded, by a filter, until its reader goes", async () => {
    const one = await started();
    await one.order(1);
    const [before] = await recordedRuns(one, 1);
    const events: { runs: { run_uuid: string }[] }[] = [];
    const stream = request(`${one.admin}/api/v1/runs/live?interface=order`, { headers: { authorization: `Bearer ${key}` } });
    stream.on("error", () => undefined); // the test cuts it
    stream.on("response", (response) => {
      expect(response.headers["content-type"]).toBe("text/event-stream");
      let text = "";
      response.on("error", () => undefined);
      response.on("data", (chunk: Buffer) => {
        text += chunk.toString();
        const whole = text.split("\n\n");
        text = whole.pop() ?? "";
        for (const event of whole) if (event.startsWith("event: runs")) events.push(JSON.parse(event.split("\ndata: ")[1] ?? ""));
      });
    });
    stream.end();
    await until(() => expect(events).toMatchObject([{ runs: [{ run_uuid: before?.run_uuid }] }]));
    await one.order(2);
    const [second] = await recordedRuns(one, 2);
    await until(() => expect(events.slice(1)).toMatchObject([{ runs: [{ run_uuid: second?.run_uuid }] }]));
    stream.destroy();
    expect((await one.ask("/api/v1/runs/live?status=9")).status).toBe(400);
  });

  test("serves so many readers at once and no more", async () => {
    const one = await started();
    const open = Array.from({ length: 16 }, () => {
      const stream = request(`${one.admin}/api/v1/runs/live`, { headers: { authorization: `Bearer ${key}` } });
      stream.on("error", () => undefined);
      const answered = new Promise((resolve) => stream.on("response", (response) => resolve(response.on("error", () => undefined))));
      stream.end();
      return { stream, answered };
    });
    await Promise.all(open.map(({ answered }) => answered));
    expect((await one.ask("/api/v1/runs/live")).status).toBe(503);
    for (const { stream } of open) stream.destroy();
    await until(async () => {
      const stream = request(`${one.admin}/api/v1/runs/live`, { headers: { authorization: `Bearer ${key}` } });
      const status = await new Promise((resolve) => stream.on("response", (response) => resolve(response.statusCode)).end());
      stream.on("error", () => undefined).destroy();
      expect(status).toBe(200);
    });
  });
});
