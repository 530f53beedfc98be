import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { JsonObject } from "#runtime/value/json.ts";
import { until } from "../../harness/until.ts";
import { closeAll, newFolder, order, type Service, service } from "./admin-service.ts";

// The admin API (spec/surfaces 10 and 16, docs/admin-api.md): what it tells.

beforeEach(newFolder);
afterEach(closeAll);

/** A record is written a moment after its run. */
async function recorded(one: Service, runs: number): Promise<JsonObject[]> {
  return until(async () => {
    const found = (await one.told("/api/v1/runs")).runs as JsonObject[];
    if (found.length < runs) throw new Error(`${found.length} of ${runs} runs are recorded`);
    return found;
  });
}

describe("what it tells", () => {
  test("runs, a page at a time, and each of them whole", async () => {
    const one = await service();
    for (const body of [{ n: 1 }, {}, { n: 3, password: "hidden" }]) await order(one, body);
    const runs = await recorded(one, 3);
    expect(runs.map(({ status }) => status)).toEqual([200, 422, 200]);
    const first = await one.told("/api/v1/runs?limit=2");
    expect(first.runs).toEqual(runs.slice(0, 2));
    expect(await one.told(`/api/v1/runs?limit=2&cursor=${first.next}`)).toEqual({ runs: runs.slice(2), next: null });
    expect(await one.told("/api/v1/runs?status=4xx&interface=order&since=1h")).toEqual({ runs: [runs[1]], next: null });
    expect(await one.told("/api/v1/runs?config=none")).toEqual({ runs: [], next: null });
    const whole = await one.told(`/api/v1/runs/${runs[0]?.run_uuid}`);
    expect(whole).toMatchObject({
      interface: "order",
      trigger: "http",
      request: { method: "POST", route: "/orders/:id", params: { id: "7", token: "***" }, body: { n: 3, password: "***" } },
      actions: [
        { name: "Body", status: "succeeded" },
        { name: "Rows", data: [{ one: 1 }] },
        { name: "Env", data: ["1", null, "x", null] },
      ],
    });
    expect((await one.ask(`/api/v1/runs/${"0".repeat(8)}-0000-4000-8000-000000000000`)).status).toBe(404);
  });

  test("interfaces: how they are reached and recorded", async () => {
    const one = await service();
    const all = await one.told("/api/v1/interfaces");
    expect(all).toEqual({
      organisation: "local",
      environment: "production",
      interfaces: [
        {
          config: "shop",
          interface: "order",
          output: "http",
          method: "POST",
          route: "/orders/:id",
          network: false,
          capture: { mode: "all", for_runs: 50, open: true },
        },
        {
          config: "shop",
          interface: "nightly",
          output: "none",
          schedule: { cron: "0 3 * * *", timezone: "UTC" },
          network: false,
          capture: null,
        },
        {
          config: "shop",
          interface: "plain",
          output: "http",
          method: "GET",
          route: "/plain",
          respond: "early",
          network: true,
          capture: null,
        },
      ],
      next: null,
    });
    const pages = [];
    for (let next: unknown = "0"; next !== null; ) {
      const page = await one.told(`/api/v1/interfaces?limit=1&cursor=${next}`);
      pages.push(...(page.interfaces as JsonObject[]));
      next = page.next;
    }
    expect(pages).toEqual(all.interfaces);
  });

  test("needs: names, and whether they are met; never a value", async () => {
    const one = await service();
    const { needs } = await one.told("/api/v1/needs");
    const [kinds, text] = [needs as JsonObject[], JSON.stringify(needs)];
    expect(kinds.map(({ kind, name, met }) => `${kind} ${name} ${met}`)).toEqual([
      "env SET true",
      "env UNSET false",
      "variable NOBODY false",
      "variable WORD true",
      "database main true",
      "database gone false",
    ]);
    expect(text).not.toContain("canary-pass");
  });

  test("a service that captures nothing has no runs", async () => {
    const one = await service({}, "name: t\ninterfaces:\n  t: { method: GET, actions: [] }\n");
    expect(await one.told("/api/v1/runs")).toEqual({ runs: [], next: null });
  });

  test.each([
    ["/api/v1/runs?status=600", "status must be a status such as 404, or a class of them such as 4xx"],
    ["/api/v1/runs?limit=0", "limit must be a number from 1 to 500"],
    ["/api/v1/runs?limit=501", "limit must be a number from 1 to 500"],
    ["/api/v1/runs?cursor=%27", "cursor must be what the page before has given as next"],
    ["/api/v1/runs?since=yesterday", "since must be a time such as 2026-07-01T12:00:00Z, or how long ago it was, such as 1h"],
    ["/api/v1/runs?org=x", "org must be one of config, interface, trigger, status, since, until, limit, cursor"],
    ["/api/v1/needs?status=200", "status must be one of limit, cursor"],
  ])("%s is answered with what is wrong", async (path, message) => {
    const one = await service();
    const { status, text } = await one.ask(path);
    expect([status, JSON.parse(text)]).toEqual([400, { error: "invalid_param", message }]);
  });
});
