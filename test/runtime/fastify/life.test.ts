import fastify from "fastify";
import { describe, expect, test } from "vitest";
import { pipewright } from "#runtime/fastify/index.ts";
import { Unmet } from "#runtime/process/unmet.ts";
import type { Config, Interface, Scheduler } from "#runtime/run/interface.ts";
import { planned, printOne } from "../../harness/compile.ts";
import { evaluate } from "../../harness/evaluate.ts";
import { readFixture } from "../../harness/folders.ts";
import { configOf, send, served } from "../../harness/sockets.ts";
import { untilTrue } from "../../harness/until.ts";
import { application, unstarted } from "./applications.ts";

// How the interfaces that an application mounts begin and end with it, and what it is refused.

const scheduled = (steps: string[], missing: readonly string[] = []): Config => {
  const scheduler: Scheduler = {
    missing: async () => missing,
    start: () => void steps.push("start"),
    stop: () => void steps.push("stop"),
  };
  return { ...configOf(served("GET", "/w", () => "w")), schedules: () => scheduler };
};

const fixture = async (name: string): Promise<Config> =>
  evaluate((await printOne(planned(readFixture("interfaces", name, "config.yaml")))).code);

/** Answered before its actions run. */
const early = (target: Interface): Interface => ({
  ...target,
  respond: "early",
  run: (cx) => {
    if (cx.admit()) target.run(cx);
  },
});

describe("the beginning", () => {
  test("schedules start when the application is ready, and stop when it closes", async () => {
    const steps: string[] = [];
    const { app } = await unstarted();
    await app.register(pipewright, { configs: [scheduled(steps)], env: {} });
    expect(steps).toEqual([]);
    await app.ready();
    expect(steps).toEqual(["start"]);
    await app.close();
    expect(steps).toEqual(["start", "stop"]);
  });

  test("schedules: false leaves them to another process", async () => {
    const steps: string[] = [];
    const it = await application({ configs: [scheduled(steps)], schedules: false });
    await it.app.close();
    expect(steps).toEqual(["stop"]);
  });

  test("an application does not get ready while something is missing", async () => {
    const steps: string[] = [];
    const { app } = await unstarted();
    await app.register(pipewright, { configs: [scheduled(steps, ["a store"])], env: { PIPEWRIGHT_MAX_PARTS: "many" } });
    await expect(app.ready()).rejects.toThrow(new Unmet(["PIPEWRIGHT_MAX_PARTS must be a whole number, not 'many'", "a store"]));
    expect(steps).toEqual([]);
    await app.close();
  });

  test("settings come from the environment, and options win", async () => {
    const one = served("GET", "/w", (cx) => [
      cx.host.environment,
      cx.host.organisation,
      cx.host.limits.maxParts,
      cx.host.limits.maxBodyBytes,
    ]);
    const env = { PIPEWRIGHT_ENV: "staging", PIPEWRIGHT_ORG: "acme", PIPEWRIGHT_MAX_PARTS: "7", PIPEWRIGHT_MAX_BODY_BYTES: "9" };
    const it = await application({ interfaces: [one], env, limits: { maxBodyBytes: 8 } });
    expect(JSON.parse((await send(it.url, "/w")).text).data.A.data).toEqual(["staging", "acme", 7, 8]);
    expect((await send(it.url, "/acme/staging/w")).status).toBe(200);
    await it.app.close();
  });

  test("several configurations, and several places of one", async () => {
    const { app } = await unstarted();
    const [orders, users] = [configOf(served("GET", "/orders", () => "orders")), configOf(served("GET", "/users", () => "users"))];
    await app.register(pipewright, { configs: [orders, users], prefix: "/v1", env: {} });
    await app.register(pipewright, { configs: [orders], prefix: "/v2/:shop", env: {} });
    const status = async (url: string): Promise<number> => (await app.inject({ method: "GET", url })).statusCode;
    expect([await status("/v1/orders"), await status("/v1/users"), await status("/v2/a/orders"), await status("/v2/a/users")]).toEqual([
      200, 200, 200, 404,
    ]);
    await app.close();
  });
});

describe("the log", () => {
  test("is that of the application, without secrets", async () => {
    const logged: string[] = [];
    const app = fastify({ logger: { level: "info", stream: { write: (line) => void logged.push(line) } } });
    const one = served("GET", "/w", (cx) => {
      cx.host.redactor.add("test", "s3cret-value");
      cx.host.log("critical", "it is s3cret-value", { also: "s3cret-value" });
      cx.host.log("debug", "nothing");
      return cx.host.debug;
    });
    await app.register(pipewright, { configs: [configOf(one)], env: {} });
    expect((await app.inject("/w")).json().data.A.data).toBe(false);
    await app.close();
    expect(logged.map((line) => JSON.parse(line)).filter(({ msg }) => /it is|nothing/.test(msg))).toMatchObject([
      { level: 60, msg: "it is ***", also: "***" },
    ]);
  });

  test("may be missing", async () => {
    const app = fastify();
    await app.register(pipewright, { configs: [configOf(served("GET", "/w", (cx) => cx.host.debug))], env: {} });
    expect((await app.inject("/w")).json().data.A.data).toBe(false);
    await app.close();
  });
});

describe("the end", () => {
  test("waits for requests and for runs that were answered early", async () => {
    const steps: string[] = [];
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const waits = served("GET", "/early", async () => {
      await released;
      steps.push("run");
      return null;
    });
    const it = await application({ interfaces: [early(waits)] });
    expect((await send(it.url, "/early")).status).toBe(202);
    const closed = it.app.close().then(() => steps.push("closed"));
    release();
    await closed;
    expect(steps).toEqual(["run", "closed"]);
  });

  test("cuts what outlasts the grace", async () => {
    const steps: string[] = [];
    const slow = served("GET", "/slow", async (cx) => {
      steps.push("begun");
      cx.signal.addEventListener("abort", () => steps.push("aborted"));
      await cx.host.sleep(100_000, cx.signal).catch(() => undefined);
      return null;
    });
    const it = await application({
      interfaces: [slow, early({ ...slow, http: { method: "GET", route: "/early" } })],
      limits: { shutdownGraceMs: 20 },
    });
    const asked = send(it.url, "/slow").catch(() => "cut");
    expect((await send(it.url, "/early")).status).toBe(202);
    await untilTrue(() => steps.length === 2);
    await it.app.close();
    expect(await asked).toBe("cut");
    await untilTrue(() => steps.filter((step) => step === "aborted").length === 2);
  });
});

describe("what cannot be mounted", () => {
  test("connections that stay open", async () => {
    const app = fastify();
    const configs = [await fixture("mqtt"), await fixture("ws_publish")];
    const refused = await app.register(pipewright, { configs, env: {} }).then(
      () => "",
      (error: Error) => error.message,
    );
    expect(refused).toMatch(/^cannot start:\n {2}- mqtt has triggers of WebSocket or MQTT: .*\(mqtt\).*pipewright serve/);
    expect(refused).toMatch(/\n {2}- ws_publish has triggers of WebSocket or MQTT: .*\(ws\).*pipewright serve/);
    await app.close();
  });

  test("HTTP/2, and a prefix with a pattern", async () => {
    const secure = fastify({ http2: true });
    await expect(secure.register(pipewright, { configs: [], env: {} })).rejects.toThrow("the application speaks HTTP/2");
    await secure.close();
    const app = fastify();
    await expect(app.register(pipewright, { configs: [], env: {}, prefix: "/:id(\\d+)" })).rejects.toThrow(
      "prefix /:id(\\d+): a segment is",
    );
    await app.close();
  });

  test("channels that nobody can hear are told of", async () => {
    const it = await application({ configs: [{ ...configOf(), channels: () => [] }] });
    await it.app.close();
    expect(it.logged).toContain("warn t publishes to channels, which no client of this application can subscribe to");
  });
});
