import { afterAll, describe, expect, test } from "vitest";
import { planTexts } from "../../../compiler/pipeline.ts";
import { emit_metric, type MetricArgs } from "../../../runtime/features/actions/emit_metric.ts";
import { type StateArgs, state } from "../../../runtime/features/actions/state.ts";
import { createHost } from "../../../runtime/process/host.ts";
import { LiveAct } from "../../../runtime/run/live-act.ts";
import { LiveRun } from "../../../runtime/run/live-run.ts";
import type { Act } from "../../../runtime/run/run.ts";
import { Failure } from "../../../runtime/value/failure.ts";
import type { Json } from "../../../runtime/value/json.ts";
import { planned, printOne } from "../../harness/compile.ts";
import { failure } from "../../harness/database-run.ts";
import { evaluate } from "../../harness/evaluate.ts";
import { runOnce } from "../../harness/run-once.ts";

const host = createHost({ env: {} });
afterAll(() => host.close());

function act(config = "shop"): Act {
  const input = { id: "id", trigger: "http", method: "POST", path: "/", body: null, raw_body: null, params: {}, headers: {}, ip: {} };
  const target = { name: "test", output: "http", run: () => undefined } as const;
  const needs = { env: [], vars: [], secrets: [] };
  return new LiveAct(new LiveRun(host, { name: config, interfaces: [], needs }, target, input), "State", {}, () => null);
}

const ask = (args: StateArgs, config?: string): Promise<Json> => state(act(config), args);

describe("state", () => {
  test("keys are text, in the namespace of the configuration", async () => {
    expect(await ask({ set: { key: 1, value: "one" } })).toEqual({ version: 1 });
    expect(await ask({ get: { key: "1" } })).toEqual({ value: "one", version: 1, found: true });
    expect(await ask({ get: { key: "1", namespace: null } })).toEqual({ value: "one", version: 1, found: true });
    expect(await ask({ get: { key: "1", namespace: "shop" } }, "other")).toEqual({ value: "one", version: 1, found: true });
    expect(await ask({ get: { key: "1", default: ["none"] } }, "other")).toEqual({ value: ["none"], version: 0, found: false });
    expect(await ask({ get: { key: "1" } }, "other")).toEqual({ value: null, version: 0, found: false });
  });

  test("a conflict fails with status 409", async () => {
    await ask({ set: { key: "cas", value: 1, expected_version: 0 } });
    const conflict = await ask({ set: { key: "cas", value: 2, expected_version: 0, ttl: null } }).catch((thrown: unknown) => thrown);
    expect(conflict).toBeInstanceOf(Failure);
    expect(conflict).toMatchObject({ kind: "state", message: "state conflict on 'cas'", details: { status: 409 } });
    expect(await ask({ set: { key: "cas", value: 2 } })).toEqual({ version: 2 });
  });

  test("advance, delete and seen", async () => {
    expect(await ask({ advance: { key: "max", value: 9 } })).toEqual({ version: 1, value: 9 });
    expect(await ask({ advance: { key: "max", value: 10 } })).toEqual({ version: 2, value: 10 });
    expect(await ask({ delete: { key: "max" } })).toEqual({ deleted: true });
    expect(await ask({ delete: { key: "max" } })).toEqual({ deleted: false });
    expect(await ask({ seen: { key: "ids", id: 1 } })).toEqual({ was_new: true });
    expect(await ask({ seen: { key: "ids", id: "1" } })).toEqual({ was_new: false });
    const long = "é".repeat(300);
    expect(await ask({ seen: { key: "ids", id: long } })).toEqual({ was_new: true });
    expect(await ask({ seen: { key: "ids", id: `${long}!` } })).toEqual({ was_new: true });
    expect(await ask({ seen: { key: "ids", id: long } })).toEqual({ was_new: false });
  });

  test("outside of attempts, a value that cannot be read fails only what reads it", async () => {
    const config = `
name: t
interfaces:
  plain: { actions: [{ name: A, json_output: 1 }] }
  header: { response: { headers: { x: a|state::k| } }, actions: [{ name: A, json_output: 1 }] }
  gate: { actions: [{ name: A, run_on_assertion: { tests: [{ value: a|state::k|, is_null: true }] }, json_output: 1 }, { name: B, depends_on: [], json_output: 2 }] }
`;
    const env = { PIPEWRIGHT_STATE_DATABASE_URL: "postgres://127.0.0.1:1/none" };
    for (const interpret of [false, true]) {
      const module = await evaluate((await printOne(planned(config), { interpret })).code);
      const host = createHost({ env });
      const answer = async (name: string) => (await runOnce(module, name, {}, host)).reply;
      expect(await answer("plain")).toMatchObject({ status: 200 });
      expect(await answer("header")).toMatchObject({ status: 500, body: '{"error":"response failed"}' });
      const { body } = await answer("gate");
      expect(JSON.parse(body).data).toMatchObject({ A: { data: null, error: "state is not available" }, B: { data: 2 } });
      await host.close();
    }
  });

  test.each([
    ["an action", "json_output: 1 }, { name: B, state: { get: { key: k } }", true],
    ["new records", "json_output: [], only_new: { key: k }", true],
    ["a loop", "lookup: a|body|, actions: [{ name: B, state: { get: { key: k } } }]", true],
    ["a marker", "json_output: a|state::k|", true],
    ["nothing", "json_output: a|body|", false],
  ])("%s of a configuration makes its store a need", async (_, action, isNeeded) => {
    const config = planned(`name: t\ninterfaces: { t: { output: cli, actions: [{ name: A, ${action} }] } }\n`);
    const down = createHost({ env: { PIPEWRIGHT_STATE_DATABASE_URL: "postgres://127.0.0.1:1/none" } });
    for (const interpret of [false, true]) {
      const { store } = await evaluate((await printOne(config, { interpret })).code);
      expect(store !== undefined).toBe(isNeeded);
      if (store === undefined) continue;
      await store(host);
      expect(await failure(store(down))).toBe("state: state is not available");
    }
    await down.close();
  });

  test("names that no store could hold are refused", async () => {
    expect(await ask({ get: { key: "k".repeat(512) } })).toMatchObject({ found: false });
    expect(await failure(ask({ get: { key: "é".repeat(257) } }))).toBe("state: state key is longer than 512 bytes");
    expect(await failure(ask({ get: { key: "k", namespace: "n".repeat(513) } }))).toBe("state: state namespace is longer than 512 bytes");
    expect(await failure(ask({ get: { key: "a\0b" } }))).toBe("state: state key holds a NUL character");
    expect(await failure(ask({ get: { key: "a\ud800" } }))).toBe("state: state key holds half a surrogate pair");
    expect(await failure(ask({ get: { key: "a", namespace: "\udc00b" } }))).toBe("state: state namespace holds half a surrogate pair");
    expect(await failure(ask({ get: { key: null } }))).toBe("evaluation: field key: expected string, got null");
    expect(await failure(ask({ seen: { key: "ids", id: null } }))).toBe("evaluation: field id: expected string, got null");
  });
});

describe("emit_metric", () => {
  const emit = (args: MetricArgs): Promise<Json> => emit_metric(act(), args);

  test("gives what it measures", async () => {
    expect(await emit({ name: "hits_total" })).toEqual({ name: "hits_total", type: "counter", value: 1 });
    expect(await emit({ name: "a:b", type: "gauge", value: -2.5, labels: { a: "b" } })).toEqual({
      name: "a:b",
      type: "gauge",
      value: -2.5,
    });
    expect(await emit({ name: "h", type: "histogram", value: 0 })).toEqual({ name: "h", type: "histogram", value: 0 });
  });

  test("refuses what no reader would take", async () => {
    expect(await failure(emit({ name: "a-b" }))).toBe("evaluation: bad metric name 'a-b'");
    expect(await failure(emit({ name: "g", type: "gauge", value: null }))).toBe("evaluation: a gauge metric needs a value");
    expect(await failure(emit({ name: "c", value: -1 }))).toBe("evaluation: a counter never falls: -1");
    const labels = Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`l${i}`, "x"]));
    expect(await failure(emit({ name: "c", labels }))).toBe("evaluation: a metric has at most 10 labels, not 11");
  });
});

describe("the compiler", () => {
  const found = (source: string): string[] => {
    const text = `name: t\nexpose_metrics: true\ninterfaces:\n  t:\n    method: GET\n    actions:\n      - name: A\n        ${source}\n`;
    const { diagnostics } = planTexts([{ file: "t.yaml", text }]);
    // This version serves no metrics, and says so.
    const others = diagnostics.filter(({ message }) => !message.includes("expose_metrics"));
    return others.map(({ code, message, at }) => `${code} ${message} @${text.slice(at?.start, at?.end)}`);
  };

  test.each([
    ["state: {}", ["PW405 state needs exactly one operation @state"]],
    ["state: { get: { key: a }, delete: { key: a } }", ["PW405 state needs exactly one operation @state"]],
    ["state: { get: { key: a } }", []],
    ["emit_metric: { name: a-b }", ["PW406 bad metric name 'a-b' @a-b"]],
    ["emit_metric: { name: a|body::name| }", []],
    ["emit_metric: { name: g, type: gauge }", ["PW407 a gauge metric needs a value @emit_metric"]],
    ["emit_metric: { name: h, type: histogram, value: a|body::v| }", []],
  ])("%s", (source, expected) => {
    expect(found(source)).toEqual(expected);
  });
});
