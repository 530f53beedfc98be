import { createServer } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { messageBus } from "#runtime/bus/open.ts";
import { durable } from "#runtime/durable/durable.ts";
import { durableRuns } from "#runtime/durable/runs-trigger.ts";
import type { Host } from "#runtime/process/host.ts";
import { type ServeOptions, serve } from "#runtime/process/server.ts";
import type { Unmet } from "#runtime/process/unmet.ts";
import { channelsOf } from "#runtime/realtime/channels.ts";
import type { Config } from "#runtime/run/interface.ts";
import type { Run } from "#runtime/run/run.ts";
import { Failure } from "#runtime/value/failure.ts";
import { configOf, send, served } from "../../harness/sockets.ts";
import { local, running, start } from "./started-server.ts";

afterEach(async () => {
  await Promise.all(running.splice(0).map((each) => each.close()));
});

/** The needs that keep a process from starting. */
async function unmetOf(configs: readonly Config[], options: ServeOptions = {}): Promise<readonly string[]> {
  const error = await serve(configs, { ...local, ...options }).catch((thrown: Unmet) => thrown);
  if (!("needs" in error)) throw new Error("it has started");
  return error.needs;
}

const withDatabase = (ping: (cx: Run) => Promise<void>): Config => ({
  ...configOf(served("GET", "/a", () => 1)),
  name: "posts",
  needs: { env: ["DATABASE_URL", "OTHER"], vars: ["DB", "ANOTHER"], secrets: [] },
  databases: [{ name: "main", ping }],
});

describe("serve", () => {
  test("logs where it listens and answers there", async () => {
    const records: [string, unknown][] = [];
    const { url } = await start([configOf(served("GET", "/a", () => 1))], {
      log: (level, msg, fields) => records.push([`${level} ${msg}`, fields]),
    });
    expect(records).toEqual([["info listening", { url, environment: "production", configs: ["t"] }]]);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d*$/);
    expect((await send(url, "/a")).status).toBe(200);
  });

  test.each([
    ["", [["warn state and only_new have no database: they are kept in memory", { configs: ["posts"] }]]],
    ["sqlite::memory:", []],
  ])("state that only the memory keeps is worth a warning: '%s'", async (address, expected) => {
    const records: [string, unknown][] = [];
    const configs = [configOf(served("GET", "/a", () => 1)), { ...withDatabase(async () => undefined), store: async () => undefined }];
    await start(configs, {
      env: { PIPEWRIGHT_DATABASE_URL: address },
      log: (level, msg, fields) => records.push([`${level} ${msg.split(",")[0]}`, fields]),
    });
    expect(records.filter(([msg]) => msg.startsWith("warn state"))).toEqual(expected);
  });

  test.each([
    ["", [["warn durable runs have no database: they are lost when the process ends", { config: "orders" }]]],
    ["sqlite::memory:", []],
  ])("durable runs that only the memory keeps are worth a warning: '%s'", async (address, expected) => {
    const records: [string, unknown][] = [];
    const kept = { ...served("GET", "/a", () => 1), durable: durable({ plans: ["p"] }) };
    const configs = [
      { ...configOf(served("GET", "/b", () => 1)), triggers: [durableRuns] },
      { ...configOf(kept), triggers: [durableRuns] },
    ];
    await start(
      configs.map((config, n) => ({ ...config, name: n === 0 ? "posts" : "orders" })),
      {
        env: { PIPEWRIGHT_DATABASE_URL: address },
        log: (level, msg, fields) => records.push([`${level} ${msg.split(";")[0]}`, fields]),
      },
    );
    expect(records.filter(([msg]) => msg.startsWith("warn durable"))).toEqual(expected);
  });

  test("a wildcard address is shown as the loopback one", async () => {
    expect((await start([], { address: "0.0.0.0" })).url).toMatch(/^http:\/\/127\.0\.0\.1:/);
  });

  test("secrets that are managed variables must be set; all that are not are listed", async () => {
    const config = {
      ...configOf(served("GET", "/a", (cx) => cx.env("OPEN"))),
      name: "posts",
      needs: { env: [], vars: [], secrets: ["DECLARED", "FIRST", "SEALED", "SECOND", "SET"] },
      secrets: ["DECLARED"],
    };
    const variables = { SET: "x", SEALED: () => undefined };
    expect(await unmetOf([config], { variables, environment: "staging" })).toEqual([
      "secret FIRST of posts is not set: pipewright vars set FIRST - --seal --env staging",
      "secret SECOND of posts is not set: pipewright vars set SECOND - --seal --env staging",
    ]);
    expect((await start([{ ...config, needs: { ...config.needs, secrets: ["SET", "SEALED"] } }], { variables })).url).toMatch(/^http/);
  });

  test("configs read the environment variables that the operator allows, and never the keys of the service", async () => {
    const env = { OPEN: "o", DATABASE_URL: "d", SECRET: "s", A1: "a", PIPEWRIGHT_MASTER_KEY: "k", PIPEWRIGHT_API_KEYS: "k" };
    const names = [...Object.keys(env), "PIPEWRIGHT_ENV_ALLOW"];
    const config = configOf(served("GET", "/a", (cx) => names.map((name) => cx.env(name))));
    const read = async (allow: string): Promise<unknown> => {
      const { url } = await start([config], { env: { ...env, PIPEWRIGHT_ENV_ALLOW: allow } });
      return JSON.parse((await send(url, "/a")).text).data.A.data;
    };
    expect(await read("")).toEqual(["o", "d", "s", "a", null, null, null]);
    expect(await read("OPEN, DATABASE_*")).toEqual(["o", "d", null, null, null, null, null]);
    expect(await read("A.")).toEqual([null, null, null, null, null, null, null]);
    expect(await read("*")).toEqual(["o", "d", "s", "a", null, null, "*"]);
  });

  test("what cannot be opened is a warning at the start", async () => {
    const said: string[] = [];
    await start([], {
      warnings: ["sealed variables cannot be opened: A; what reads them fails"],
      log: (level, msg) => said.push(`${level} ${msg}`),
    });
    expect(said[0]).toBe("warn sealed variables cannot be opened: A; what reads them fails");
  });

  test("a name that is merely unset keeps nothing from starting", async () => {
    const config = {
      ...configOf(served("GET", "/a", (cx) => [cx.env("NOPE"), cx.var("NOPE")])),
      needs: { env: ["NOPE"], vars: ["NOPE"], secrets: [] },
    };
    const { url } = await start([config]);
    expect(JSON.parse((await send(url, "/a")).text).data.A.data).toEqual([null, null]);
  });

  test("settings reach the runs", async () => {
    const config = configOf(served("GET", "/a", (cx) => [cx.env("E"), cx.var("V"), cx.host.now(), cx.request.environment ?? null]));
    const { url } = await start([config], { env: { E: "e" }, variables: { V: [1] }, clock: 5, environment: "dev", organisation: "acme" });
    expect(JSON.parse((await send(url, "/acme/dev/a")).text).data.A.data).toEqual(["e", [1], 5, "dev"]);
  });

  test("everything unmet is named at once, with what to set", async () => {
    const busy = createServer();
    await new Promise<void>((resolve) => busy.listen(0, "127.0.0.1", resolve));
    const address = busy.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const unset = withDatabase(async (cx) => {
      // Other names of the configuration are no matter of the database.
      expect([cx.env("DATABASE_URL"), cx.var("DB")]).toEqual([null, null]);
      throw new Failure("database", "database: conn_string is not set");
    });
    const needs = await unmetOf([unset], { port, unmet: ["vars.yaml cannot be read"] });
    busy.close();
    expect(needs).toEqual([
      "vars.yaml cannot be read",
      "database main of posts: conn_string is not set; set environment variable DATABASE_URL, variable DB (--vars)",
      `address 127.0.0.1:${port} is in use: choose another with --port or --address`,
    ]);
  });

  test.each([
    ["durable runs", { triggers: [durableRuns] }, []],
    ["channels", { bus: messageBus }, ["PIPEWRIGHT_DATABASE_URL and PIPEWRIGHT_STATE_DATABASE_URL are postgres://… or sqlite:FILE"]],
  ])("an address that is none is a need, also of %s", async (_, parts, said) => {
    const unmet = ["PIPEWRIGHT_DATABASE_URL must be postgres://… or sqlite:FILE"];
    const channels = (host: Host): unknown => channelsOf(host);
    const env = { PIPEWRIGHT_DATABASE_URL: "mysql://x" };
    expect(await unmetOf([{ ...configOf(), channels, ...parts }], { env, unmet })).toEqual([...unmet, ...said]);
  });

  test("a trigger that fails while a database is asked is the error of the start, and nobody else's", async () => {
    const error = new Error("the disk is full");
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on("unhandledRejection", note);
    // The process hears of an unhandled rejection before the next turn of its timers.
    const config = withDatabase(() => new Promise((resolve) => void setImmediate(() => setImmediate(resolve))));
    const missing = (): Promise<never> => Promise.reject(error);
    const trigger = () => ({ missing, start: () => undefined, stop: () => undefined });
    await expect(serve([{ ...config, triggers: [trigger] }], local)).rejects.toBe(error);
    process.off("unhandledRejection", note);
    expect(unhandled).toEqual([]);
  });

  test("an address that is none of this machine", async () => {
    expect(await unmetOf([], { address: "203.0.113.1" })).toEqual([
      "address 203.0.113.1 is none of this machine: choose another with --address",
    ]);
  });

  test("a store of the state that does not answer keeps it from being ready", async () => {
    let up = false;
    const store = async (): Promise<void> => {
      if (!up) throw new Failure("state", "state is not available");
    };
    const { url } = await start([{ ...configOf(), store }]);
    expect(await send(url, "/readyz")).toMatchObject({ status: 503, text: '{"status":"unready"}' });
    up = true;
    expect((await send(url, "/readyz")).status).toBe(200);
  });

  test("a database that does not answer keeps it from being ready, not from starting", async () => {
    let up = false;
    const config = withDatabase(async () => {
      if (!up) throw new Failure("database", "database: connect ECONNREFUSED");
    });
    const { url } = await start([config]);
    expect(await send(url, "/readyz")).toMatchObject({ status: 503, text: '{"status":"unready"}' });
    up = true;
    expect((await send(url, "/readyz")).status).toBe(200);
  });
});
