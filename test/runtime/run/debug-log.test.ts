import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createHost, type Host, type HostOptions, type LogLevel } from "#runtime/process/host.ts";
import type { JsonObject } from "#runtime/value/json.ts";
import { ask, compiled } from "../../harness/captured.ts";
import { upstream } from "../../harness/peers/upstream.ts";
import type { Stub } from "../../harness/sockets.ts";

// The log at the level `debug` tells how a run came to its answer; at any other it says nothing of it.

const config = `
name: shop
interfaces:
  order:
    method: POST
    route: /orders/:id
    response: { http_code_fallback_strategy: any_action }
    actions:
      - name: Order
        input: a|body|
        assert: { tests: [{ value: n, is_equal_to: 1, http_code_on_error: 422 }] }
      - { name: Line, run_when_succeeded: [Order], json_output: 1 }
      - { name: Skipped, run_when_succeeded: [Guarded], json_output: 1 }
      - { name: Instead, run_when_failed: [Order], json_output: 1 }
      - { name: Guarded, depends_on: [Order], run_on_assertion: { tests: [{ value: a|body::n|, is_equal_to: 3 }] }, json_output: 1 }
  call:
    actions:
      - name: Stock
        retry: { attempts: 2, delay: 0 }
        http: { url: "a|env::UPSTREAM|/stock?key=a|var::ENCRYPTED_KEY|", headers: { x-token: a|var::ENCRYPTED_KEY| } }
      - { name: Gone, run_when_failed: [Stock], http: { url: "http://127.0.0.1:1/gone" } }
`;

const hosts: Host[] = [];
afterEach(() => Promise.all(hosts.splice(0).map((host) => host.close())));

let stub: Stub;
beforeAll(async () => {
  stub = await upstream([{ path: "/stock", status: 503 }]);
});
afterAll(() => stub.close());

type Line = readonly [LogLevel, string, JsonObject];

async function linesOf(interpret: boolean, name: string, options: HostOptions): Promise<readonly Line[]> {
  const lines: Line[] = [];
  const host = createHost({
    env: { UPSTREAM: stub.url },
    variables: { ENCRYPTED_KEY: "a-key-of-the-stock" },
    log: (level, msg, fields) => void lines.push([level, msg, { ...fields }]),
    ...options,
  });
  hosts.push(host);
  await ask(host, await compiled(config, { interpret }), name, { trigger: "http", method: "POST", path: "/orders/7", body: { n: 2 } });
  return lines;
}

describe.each([false, true])("interpreted: %s", (interpret) => {
  test("gates, skips with their reasons, times, and the end", async () => {
    const lines = (await linesOf(interpret, "order", { logLevel: "debug" })).filter(([level]) => level === "debug");
    expect(lines.map(([, msg, { action = "" }]) => `${action} ${msg}`.trim())).toEqual([
      "run begins",
      "Order failed",
      "Line not run: action 'Order' did not succeed",
      "Instead succeeded",
      "Guarded not run: run_on_assertion: a|body::n|::is_equal_to: expected target 2 not equal to 3",
      "Skipped not run: run_when_succeeded: 'Guarded' skipped",
      "run ended",
    ]);
    expect(lines[0]?.[2]).toMatchObject({ method: "POST", route: "/orders/:id", trigger: "http" });
    expect(lines[1]?.[2]).toMatchObject({ ms: expect.any(Number) });
    expect(lines.at(-1)?.[2]).toMatchObject({ http_code: 422, ms: expect.any(Number) });
  });

  test("attempts and calls, without a secret", async () => {
    const lines = (await linesOf(interpret, "call", { logLevel: "trace" })).filter(([level]) => level === "debug");
    const host = new URL(stub.url).host;
    expect(lines.map(([, msg, { action = "" }]) => `${action} ${msg}`.trim())).toEqual([
      "run begins",
      `Stock GET ${host}: 503`,
      expect.stringMatching(/^Stock attempt 1 of 2 failed: PW902 http status 503 is not in expect_status/),
      `Stock GET ${host}: 503`,
      "Stock failed",
      expect.stringMatching(/^Gone GET 127\.0\.0\.1:1: http connect failed: /),
      "Gone failed",
      "run ended",
    ]);
    expect(lines[1]?.[2]).toMatchObject({ method: "GET", host, status: 503, ms: expect.any(Number) });
    expect(lines[2]?.[2]).toMatchObject({ retry_in_ms: 0 });
    expect(JSON.stringify(lines)).not.toContain("a-key-of-the-stock");
    expect(JSON.stringify(lines)).not.toContain("/stock");
  });

  test.each<LogLevel | undefined>(["info", "error", undefined])("nothing of it at the level %s", async (logLevel) => {
    const lines = await linesOf(interpret, "order", logLevel === undefined ? {} : { logLevel });
    expect(lines.map(([level, msg]) => `${level} ${msg.slice(0, 6)}`)).toEqual(["info PW904 "]);
  });
});
