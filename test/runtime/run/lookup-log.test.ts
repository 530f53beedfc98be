import { afterEach, describe, expect, test } from "vitest";
import { createHost, type Host } from "#runtime/process/host.ts";
import type { JsonObject } from "#runtime/value/json.ts";
import { ask, compiled } from "../../harness/captured.ts";

// Lines that are logged of the items of a loop say where they belong.

const config = `
name: loops
interfaces:
  deep:
    actions:
      - name: Rows
        json_output: [[1], [2]]
      - name: Outer
        lookup: a|Rows|
        actions:
          - name: Inner
            lookup: a|body|
            actions: [{ name: Fails, json_output: 1, pre_log: [{ msg: begins }], assert: { tests: [{ value: $, is_equal_to: 2 }] } }]
`;

const hosts: Host[] = [];
afterEach(() => Promise.all(hosts.splice(0).map((host) => host.close())));

describe.each([false, true])("interpreted: %s", (interpret) => {
  test("the interface, at any depth", async () => {
    const records: JsonObject[] = [];
    const host = createHost({ env: {}, log: (level, msg, fields = {}) => void records.push({ ...fields, level, msg }) });
    hosts.push(host);
    expect(await ask(host, await compiled(config, { interpret }), "deep")).toBe(500);
    expect(records.filter(({ action }) => action === "Fails").length).toBe(4);
    expect(new Set(records.map((each) => each.interface))).toEqual(new Set(["deep"]));
  });
});
