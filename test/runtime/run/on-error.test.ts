import { afterEach, describe, expect, test } from "vitest";
import { createHost, type Host, type HostOptions } from "#runtime/process/host.ts";
import { background } from "#runtime/run/end/background.ts";
import { conclude } from "#runtime/run/execution.ts";
import type { Config, ErrorHandler, Interface } from "#runtime/run/interface.ts";
import { LiveRun } from "#runtime/run/live-run.ts";
import { HttpServer } from "#runtime/triggers/http-server.ts";
import type { Json } from "#runtime/value/json.ts";
import { emptyRequest } from "../../harness/run-once.ts";
import { configOf, send, served } from "../../harness/sockets.ts";

// Handlers of failures (spec/language 7.8, spec/surfaces 16): when they run, and that they cannot do harm.

const hosts: Host[] = [];
afterEach(() => Promise.all(hosts.splice(0).map((host) => host.close())));

interface World {
  readonly host: Host;
  readonly config: Config;
  readonly seen: Json[];
  readonly logged: { readonly msg: string; readonly fields: Readonly<Record<string, Json>> }[];
  readonly pass: (ms: number) => void;
}

function world(handler: Partial<ErrorHandler>, attempt: (body: Json) => Json | Promise<Json> = () => null, more: HostOptions = {}): World {
  const seen: Json[] = [];
  const logged: World["logged"] = [];
  let now = 0;
  const host: Host = {
    ...createHost({ env: {}, clock: 0, log: (_, msg, fields = {}) => void logged.push({ msg, fields }), ...more }),
    monotonic: () => now,
  };
  hosts.push(host);
  const alarm = served("POST", "/alarm", (cx) => {
    seen.push(cx.body);
    return attempt(cx.body);
  });
  const config = { ...configOf(alarm), on_error: { interface: "alarm", ...handler } };
  const pass = (ms: number): void => {
    now += ms;
  };
  return { host, config, seen, logged, pass };
}

const target: Interface = { name: "shop", output: "http", run: () => undefined };

async function fail({ host, config }: World, status: number, trigger = "http"): Promise<void> {
  conclude(new LiveRun(host, config, target, { ...emptyRequest, trigger }), status);
  await background(host).ended();
}

describe("a handler", () => {
  test.each([
    [undefined, [100, 304, 400, 404, 500], [200, 201, 204, 299]],
    [
      [500, 502],
      [500, 502],
      [200, 400, 501, 503],
    ],
    [[200], [200], [500]],
    [[], [], [500]],
  ])("of the statuses %j runs for %j, not for %j", async (status, yes, no) => {
    const one = world({ max_per_minute: 1000, ...(status === undefined ? {} : { status }) });
    for (const code of [...yes, ...no]) await fail(one, code);
    expect(one.seen.map((body) => (body as { http_code: number }).http_code)).toEqual(yes);
  });

  test("never runs for the failure of a handler or of an authorizer", async () => {
    const one = world({});
    for (const trigger of ["on_error", "authorizer"]) await fail(one, 500, trigger);
    expect(one.seen).toEqual([]);
    for (const trigger of ["http", "schedule", "mqtt", "ws", "mcp", "cli", "agent"]) await fail(one, 500, trigger);
    expect(one.seen).toHaveLength(7);
  });

  test("that fails is logged, and starts no other", async () => {
    const one = world({}, () => Promise.reject(new Error("broken")));
    await fail(one, 500);
    expect(one.seen).toHaveLength(1);
    expect(one.logged.map(({ msg }) => msg)).toContain("the handler of on_error has failed");
  });

  test("with a bug is logged, and the process lives", async () => {
    const one = world({});
    const bug: Interface = {
      ...target,
      name: "alarm",
      run: () => {
        throw new Error("a bug");
      },
    };
    await fail({ ...one, config: { ...one.config, interfaces: [bug] } }, 500);
    expect(one.logged.map(({ msg }) => msg)).toEqual(["unexpected error in a run"]);
  });

  test("that hangs is cancelled after the time of a run", async () => {
    const one = world({}, () => null, { limits: { runTimeoutMs: 20 } });
    const hangs = served("POST", "/alarm", (cx, act) => cx.host.sleep(60_000, act.signal).then(() => null));
    const host = { ...one.host, monotonic: () => performance.now() };
    await fail({ ...one, host, config: { ...one.config, interfaces: [hangs] } }, 500);
    expect(one.logged.map(({ msg }) => msg)).toContain("the handler of on_error has failed");
  });
});

describe("the budget", () => {
  test("is 12 in a minute that goes along; what is skipped is counted and logged", async () => {
    const one = world({});
    for (let i = 0; i < 15; i++) {
      await fail(one, 500);
      one.pass(1_000);
    }
    expect(one.seen).toHaveLength(12);
    expect(one.logged.map(({ fields }) => fields.skipped)).toEqual([1, 2, 3]);
    // The first three left the window of a minute.
    one.pass(48_000);
    for (let i = 0; i < 5; i++) await fail(one, 500);
    expect(one.seen).toHaveLength(16);
  });

  test("is that of each configuration", async () => {
    const one = world({ max_per_minute: 1 });
    for (const name of ["a", "b", "a", "b"]) await fail({ ...one, config: { ...one.config, name } }, 500);
    expect(one.seen.map((body) => (body as { config: string }).config)).toEqual(["a", "b"]);
  });

  test("of 0 keeps it from running", async () => {
    const one = world({ max_per_minute: 0 });
    await fail(one, 500);
    expect(one.seen).toEqual([]);
  });
});

test("over HTTP: after a time-out and a bug it runs, after what was refused before a run it does not", async () => {
  const one = world({}, () => null, { limits: { runTimeoutMs: 50, maxBodyBytes: 10 } });
  const slow = served("POST", "/slow", (cx, act) => cx.host.sleep(60_000, act.signal).then(() => null));
  const bug: Interface = {
    ...served("POST", "/bug", () => null),
    run: () => {
      throw new Error("a bug");
    },
  };
  // The clock of this world stands still; that of the trigger must not.
  const host = { ...one.host, monotonic: () => performance.now() };
  const configs = [{ ...one.config, interfaces: [...one.config.interfaces, slow, bug] }];
  const trigger = new HttpServer({ host, configs, unmet: async () => [] });
  const url = await trigger.listen("127.0.0.1", 0);
  const json = { "content-type": "application/json" };
  const statuses = [
    (await send(url, "/none", { method: "POST" })).status,
    (await send(url, "/slow")).status,
    (await send(url, "/slow", { method: "POST", headers: json, body: "{" })).status,
    (await send(url, "/slow", { method: "POST", body: "x".repeat(11) })).status,
  ];
  expect(statuses).toEqual([404, 405, 400, 413]);
  expect(one.seen).toEqual([]);
  expect((await send(url, "/slow", { method: "POST" })).status).toBe(504);
  expect((await send(url, "/bug", { method: "POST" })).status).toBe(500);
  expect(await trigger.drain(0, 5_000)).toBe(true);
  expect(one.seen).toMatchObject([
    { interface: "slow", http_code: 504, data: {} },
    { interface: "bug", http_code: 500, data: {} },
  ]);
  // spec/language 7.8 names the members in this order.
  expect(one.seen.map((body) => Object.keys(body as object).join())).toEqual(Array(2).fill("config,interface,http_code,run_uuid,at,data"));
});
