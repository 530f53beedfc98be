import { afterEach, describe, expect, test } from "vitest";
import { createHost, type Host, type HostOptions } from "#runtime/process/host.ts";
import type { Config } from "#runtime/run/interface.ts";
import type { JsonObject } from "#runtime/value/json.ts";
import { ask, compiled, ownFolder, recorded } from "../../harness/captured.ts";
import { planned, printOne } from "../../harness/compile.ts";
import { smallLink } from "../../harness/small-link.ts";

// The log of an action that has failed: as loud as the answer is bad, and with its place in the YAML.

const config = `
name: shop
interfaces:
  asked:
    actions:
      - name: Order
        input: a|body|
        assert: { http_code_on_error: 422, tests: [{ value: quantity, is_not_null: true }] }
  unasked:
    actions:
      - name: Order
        input: a|body|
        assert: { tests: [{ value: quantity, is_not_null: true }] }
  by_interface:
    response: { http_code_on_error: 404 }
    actions:
      - name: Order
        input: a|body|
        post_transforms: [{ return_row: 3 }]
  by_answer:
    actions:
      - name: Order
        assert: { tests: [{ value: $, is_not_null: true }] }
        response_on_error: { http_code: 404, body: gone }
  made_up:
    response: { http_code_on_error: 404 }
    actions:
      - name: Order
        http: { url: "http://127.0.0.1:1/orders" }
  upstream:
    actions:
      - name: Order
        http: { url: "http://127.0.0.1:1/orders" }
  made_good:
    actions:
      - name: Order
        assert: { http_code_on_error: 400, tests: [{ value: $, is_not_null: true }] }
      - name: Instead
        run_when_failed: [Order]
        json_output: 1
  guarded:
    response: { http_code_on_error: 400 }
    actions:
      - name: Order
        run_on_assertion: { tests: [{ value: "a|body::n->to_number|", is_equal_to: 1 }] }
        json_output: 1
  items:
    capture: errors
    actions:
      - name: Rows
        json_output: [1]
      - name: Each
        lookup: a|Rows|
        actions:
          - name: List
            json_output: [1]
          - name: Inner
            lookup: a|List|
            actions:
              - { name: Row, input: a|body|, assert: { http_code_on_error: 422, tests: [{ value: $, is_equal_to: 2 }] } }
      - { name: After, run_when_succeeded: [Each], json_output: 1 }
  templated:
    actions: [{ name: Order, json_output: 1 }]
    response: { custom_body: "a|body::n->to_number|" }
  recorded_runs:
    response: { logs: [{ on: error }], http_code_on_error: 400 }
    actions: [{ name: Order, assert: { tests: [{ value: $, is_not_null: true }] } }]
  asserted:
    assert: { http_code_on_error: 422, tests: [{ value: m, is_not_null: true }] }
    response: { http_code_on_error: 404 }
    actions: []
  asserted_aloud:
    assert: { error_message: no m, tests: [{ value: m, is_not_null: true }] }
    actions: []
`;

const hosts: Host[] = [];
afterEach(() => Promise.all(hosts.splice(0).map((host) => host.close())));

interface Asked {
  readonly status: number;
  readonly log: readonly string[];
}

async function logOf(made: Config, name: string, trigger = "http", options: HostOptions = {}): Promise<Asked> {
  const log: string[] = [];
  const write = (level: string, msg: string, { at, stack }: JsonObject = {}): void =>
    void log.push(`${level} ${msg.slice(0, 5)} ${at ?? "nowhere"}${stack === undefined ? "" : " with its stack"}`);
  const host = createHost({ env: {}, log: (level, msg, fields) => write(level, msg, { ...fields }), ...options });
  hosts.push(host);
  return { status: await ask(host, made, name, { trigger, body: { n: "x" } }), log };
}

describe.each([false, true])("interpreted: %s", (interpret) => {
  const made = compiled(config, { interpret }, "shop.yaml");

  test.each([
    ["asked", 422, ["info PW904 shop.yaml:6:15"]],
    ["unasked", 500, ["error PW904 shop.yaml:11:15"]],
    ["by_interface", 404, ["info PW905 shop.yaml:17:15"]],
    ["by_answer", 404, ["info PW904 shop.yaml:22:15"]],
    ["made_up", 404, ["warn PW901 shop.yaml:28:15"]],
    ["upstream", 500, ["error PW901 shop.yaml:32:15"]],
    ["made_good", 200, ["info PW904 shop.yaml:36:15"]],
    ["guarded", 400, ["info PW900 shop.yaml:44:15"]],
    ["items", 422, ["info PW904 shop.yaml:60:25", "info PW900 shop.yaml:57:19", "info PW900 shop.yaml:52:15"]],
    ["templated", 500, ["error PW909 shop.yaml:62:3"]],
    ["asserted", 422, ["info PW904 shop.yaml:68:3"]],
    ["asserted_aloud", 500, ["error PW904 shop.yaml:72:3"]],
    ["recorded_runs", 400, ["info PW904 shop.yaml:67:23", "info run nowhere"]],
  ])("%s: %i", async (name, status, log) => {
    expect(await logOf(await made, name)).toEqual({ status, log });
  });

  test.each(["schedule", "on_error"])("a run by %s has no caller who could be wrong", async (trigger) => {
    expect((await logOf(await made, "asked", trigger)).log).toEqual(["error PW904 shop.yaml:6:15"]);
  });

  test("the record of a run has the places of failed actions, and of no other", async () => {
    const { env, remove } = ownFolder();
    try {
      await logOf(await made, "items", "http", { env });
      await hosts.pop()?.close();
      const [run] = await recorded(env);
      expect(run?.actions.map(({ name, at }) => [name, at])).toEqual([
        ["Rows", undefined],
        ["Each", "shop.yaml:52:15"],
        ["After", "shop.yaml:61:17"],
      ]);
    } finally {
      remove();
    }
  });
});

test("a line more above moves the places, and changes of the module only the lines that its comments name", async () => {
  const before = await printOne(planned(config));
  const after = await printOne(planned(`# one more\n${config}`));
  const withoutLines = (code: string): string => code.replace(/(?<=^\/\*\* config\.yaml):\d+(?= interfaces\.)/gm, "");
  expect(withoutLines(after.code)).toBe(withoutLines(before.code));
  expect(after.action_places).not.toBe(before.action_places);
});

test("a link carries the places beside the module", async () => {
  const { code } = await smallLink(await printOne(planned(config, "shop.yaml")));
  expect(/action_places: (['"].*['"])/.exec(code)?.[1]).toContain('"Each/Inner/Row":"60:25"');
});
