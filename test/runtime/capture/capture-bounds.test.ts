import { readdirSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { longestText } from "#runtime/capture/bounded.ts";
import { longestRecord } from "#runtime/capture/record.ts";
import type { Json } from "#runtime/value/json.ts";
import { planTexts } from "../../../compiler/pipeline.ts";
import { ask, compiled, listed, ownFolder, process, recorded } from "../../harness/captured.ts";
import { complaints } from "../../harness/compile.ts";

// How much is recorded, and of which runs (spec/language 7.8, spec/surfaces 16).

let store: ReturnType<typeof ownFolder>;
beforeEach(() => {
  store = ownFolder();
});
afterEach(() => store.remove());

describe("bounds", () => {
  const config = `
name: bounds
interfaces:
  t: { output: cli, capture: all, actions: [{ name: A, input: a|body| }, { name: B, input: a|body::small| }] }
`;
  const one = async (body: Json) => {
    const made = await compiled(config);
    await process({ env: store.env }, async (host) => void (await ask(host, made, "t", { body })));
    const [run] = await recorded(store.env);
    if (run === undefined) throw new Error("nothing was recorded");
    return run;
  };

  test.each([
    ["of one byte each", "a".repeat(longestText + 10), "a".repeat(longestText), "10"],
    ["of three", "語".repeat(longestText), "語".repeat(Math.floor(longestText / 3)), String(longestText - Math.floor(longestText / 3))],
    ["of a pair", "😀".repeat(longestText / 2), "😀".repeat(longestText / 4), String(longestText / 2)],
  ])("a text of characters %s is cut, and says how much is missing", async (_, text, kept, missing) => {
    const { request } = await one({ text });
    expect(request.body).toEqual({ text: `${kept}… (${missing} more)` });
  });

  test.each<[string, Json]>([
    ["many texts", Array.from({ length: 200 }, (_, i) => `${i}${"x".repeat(8000)}`)],
    ["many numbers", Array.from({ length: 100_000 }, (_, i) => i)],
    ["many members", Object.fromEntries(Array.from({ length: 30_000 }, (_, i) => [`member ${i}`, { i }]))],
    ["many names that are escaped", Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [`\u0001\u0002"${i}`.repeat(20), null]))],
  ])("%s fit the size of a record, and leave room for what is small", async (_, big) => {
    const run = await one({ big, small: { n: 1 } });
    expect(Buffer.byteLength(JSON.stringify(run))).toBeLessThanOrEqual(longestRecord);
    expect(Buffer.byteLength(JSON.stringify(run))).toBeGreaterThan(longestRecord / 3);
    expect(run.actions.map(({ name }) => name)).toEqual(["A", "B"]);
    expect(run.actions[1]?.data).toEqual({ n: 1 });
  });

  test.each([1_000, 20_000])("data that are nested %d levels deep", async (levels) => {
    let deep: Json = 1;
    for (let i = 0; i < levels; i++) deep = [deep];
    const { request } = await one(deep);
    expect(JSON.stringify(request.body)).toBe(`${"[".repeat(64)}"…"${"]".repeat(64)}`);
  });

  test("names of prototypes are data", async () => {
    const body = JSON.parse('{"__proto__": {"polluted": 1}, "constructor": 2}');
    expect(JSON.stringify((await one(body)).request.body)).toBe('{"__proto__":{"polluted":1},"constructor":2}');
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});

test.each([
  ["some", "PW114: 'capture': expected one of off, errors, all or object"],
  ["true", "PW114: 'capture': expected one of off, errors, all or object, got boolean"],
  ["a|body::CAPTURE|", "PW206: root 'body' cannot be used here"],
  ["{ for_minutes: 3 }", "PW113: missing required key 'mode' in CaptureWindow"],
  ["{ mode: a|body::MODE| }", "PW206: root 'body' cannot be used here"],
  ["{ mode: all, for_runs: 0 }", "PW116: 'for_runs': expected 1 or more, got 0"],
  ["{ mode: all, for_minutes: -0.5 }", "PW116: 'for_minutes': expected 0.001 or more, got -0.5"],
  ["{ mode: all, for_minutes: 0 }", "PW116: 'for_minutes': expected 0.001 or more, got 0"],
  ["{ mode: all, for_hours: 1 }", "PW110: unknown key 'for_hours' in CaptureWindow"],
])("capture: %s is a mistake", (capture, message) => {
  const found = planTexts([{ file: "t.yaml", text: `name: t\ninterfaces:\n  t: { output: cli, capture: ${capture}, actions: [] }\n` }]);
  expect(complaints(found).map((each) => each.replace(/^t\.yaml:3:\d+: /, ""))).toEqual([message]);
});

describe("which runs are recorded", () => {
  const config = (capture: string): string => `
name: modes
interfaces:
  t:
    output: cli
    capture: ${capture}
    actions: [{ name: A, input: a|body|, assert: { tests: [{ value: n, is_equal_to: 1 }], http_code_on_error: 422 } }]
`;
  const statuses = async (capture: string, env: Readonly<Record<string, string>> = {}): Promise<readonly number[]> => {
    const made = await compiled(config(capture));
    await process({ env: { ...store.env, ...env } }, async (host) => {
      for (const n of [1, 2, 1, 2]) await ask(host, made, "t", { body: { n } });
    });
    return (await listed(store.env)).runs.map(({ status }) => status).reverse();
  };

  test.each([
    ["off", "all", []],
    ["errors", "all", [422, 422]],
    ["all", "all", [200, 422, 200, 422]],
    ["all", "errors", [422, 422]],
    ["errors", "errors", [422, 422]],
    ["all", "off", []],
    ["{ mode: errors }", "all", [422, 422]],
    ["{ mode: off, for_runs: 3 }", "all", []],
    ["{ mode: all, for_runs: 3 }", "all", [200, 422, 200]],
    ["{ mode: errors, for_runs: 3 }", "all", [422]],
    ["{ mode: all, for_runs: 3, for_minutes: 10 }", "errors", [422]],
    ["{ mode: all, for_minutes: 0.5 }", "errors", [422, 422]],
  ])("capture: %s, where PIPEWRIGHT_CAPTURE_MAX is %s", async (capture, most, expected) => {
    expect(await statuses(capture, { PIPEWRIGHT_CAPTURE_MAX: most })).toEqual(expected);
  });

  test("what is off makes no folder", async () => {
    await statuses("all", { PIPEWRIGHT_CAPTURE_MAX: "off" });
    expect(() => readdirSync(store.folder)).toThrow("ENOENT");
  });
});
