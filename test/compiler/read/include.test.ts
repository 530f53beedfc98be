import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findConfigs } from "../../../compiler/1-read/files.ts";
import { planAll, printAll } from "../../../compiler/pipeline.ts";
import { createHost } from "../../../runtime/process/host.ts";
import { complaints } from "../../harness/compile.ts";
import { evaluate } from "../../harness/evaluate.ts";
import { runOnce } from "../../harness/run-once.ts";

// The root `include` (spec/language 2.4): files of a real folder, since nothing else has files beside it.

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pipewright-include-"));
  mkdirSync(join(folder, "api", "texts"), { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const file = (name: string, content: string | Uint8Array): void => writeFileSync(join(folder, name), content);

const withValue = (value: string): string =>
  `name: t\ninterfaces: { a: { method: GET, actions: [{ name: A, json_output: { v: ${value} } }] } }\n`;

/** The answers of the interface on both paths. */
async function answers(config: string, path = "api"): Promise<unknown[]> {
  file("api/config.yaml", config);
  const planned = planAll(findConfigs([path], folder));
  expect(complaints(planned)).toEqual([]);
  const found: unknown[] = [];
  for (const interpret of [false, true]) {
    const [module] = await printAll(planned, { interpret });
    const { reply } = await runOnce(await evaluate(module?.code ?? ""), "a", {}, createHost({ env: {} }));
    found.push(JSON.parse(reply.body).data.A.data.v);
  }
  return found;
}

test.each<[string, string, string, unknown]>([
  ["exactly, whatever it looks like", "a|include::texts/a.txt|", 'a|body::x| "é"\n', 'a|body::x| "é"\n'],
  ["in text", "<a|include::texts/a.txt|>", "{}", "<{}>"],
  ["with filters", "a|include::texts/a.txt->length|", "abc", 3],
  ["up and down again", "a|include::texts/../texts/a.txt|", "x", "x"],
  ["an empty file", "a|include::texts/a.txt|", "", ""],
])("%s", async (_, value, content, expected) => {
  file("api/texts/a.txt", content);
  expect(await answers(withValue(value))).toEqual([expected, expected]);
});

test("relative to the configuration, inside the folder that was given", async () => {
  file("shared.txt", "shared");
  expect(await answers(withValue("a|include::../shared.txt|"), ".")).toEqual(["shared", "shared"]);
  const planned = planAll(findConfigs(["api"], folder));
  expect(complaints(planned).join()).toContain("PW145: include '../shared.txt' is outside the config directory");
});

test("in a JSON template it is one value", async () => {
  file("api/texts/a.txt", '{"x": 1}"');
  const config = `name: t\ninterfaces: { a: { method: GET, actions: [{ name: A, json_output: '{"v": a|include::texts/a.txt|}' }] } }\n`;
  expect(await answers(config)).toEqual(['{"x": 1}"', '{"x": 1}"']);
});

const compared = (operand: string): string =>
  `name: t
interfaces:
  a:
    method: POST
    actions:
      - name: A
        json_output: { v: { id: 1, at: 2 } }
        assert: { tests: [{ value: v, compare_value: ${operand} }] }
`;

test.each([
  ["the same", '{"at": 2, "id": 1}', null],
  ["another", '{"at": 3, "id": 1}', "v::compare_value: expected target to match, differs at at"],
  ["null", " null\n", "v::compare_value: expected target to match, differs at $"],
])("a value is compared with a file: %s", async (_, content, error) => {
  file("api/texts/expected.json", content);
  file("api/config.yaml", compared("{ file: texts/expected.json }"));
  const planned = planAll(findConfigs(["api"], folder));
  expect(complaints(planned)).toEqual([]);
  for (const interpret of [false, true]) {
    const [module] = await printAll(planned, { interpret });
    const { outcomes } = await runOnce(await evaluate(module?.code ?? ""), "a", {}, createHost({ env: {} }));
    expect(outcomes.map(({ errors }) => errors?.[0] ?? null)).toEqual([error]);
  }
});

test.each([
  ["{ file: none.json }", "PW145: include 'none.json' is not readable"],
  ["{ file: a.txt }", "PW145: include 'a.txt' is not valid JSON"],
  ["{ file: ../a.json }", "PW145: include '../a.json' is outside the config directory"],
  ["{ file: 'a|env::F|' }", "PW207"],
  ["{ file: a.json, target: 1 }", "PW115"],
  ["{ ignore_fields: [a] }", "PW113: missing required key 'target' or 'file' in compare_value"],
])("a comparison with %s", (operand, complaint) => {
  file("api/a.txt", "no JSON");
  file("api/config.yaml", compared(operand));
  expect(complaints(planAll(findConfigs(["api"], folder))).join()).toContain(complaint);
});

test("links out of the folder, folders, other encodings and sizes are refused", () => {
  file("secret.txt", "canary");
  symlinkSync(join(folder, "secret.txt"), join(folder, "api", "link.txt"));
  symlinkSync(folder, join(folder, "api", "up"));
  file("api/latin.txt", Buffer.from([0xe9]));
  file("api/large.txt", Buffer.alloc(5 * 1024 * 1024 + 1, "x"));
  const wanted = ["link.txt", "up/secret.txt", "latin.txt", "large.txt", "texts", "%00"].map((path) => `a|include::${path}|`);
  file("api/config.yaml", withValue(`[${wanted.map((each) => `"${each}"`).join(", ")}]`));
  const planned = planAll(findConfigs(["api"], folder));
  expect(planned.diagnostics.map(({ message }) => message)).toEqual([
    "include 'link.txt' is outside the config directory",
    "include 'up/secret.txt' is outside the config directory",
    "include 'latin.txt' is not readable",
    "include 'large.txt' is not readable",
    "include 'texts' is not readable",
    "include '%00' is not readable",
  ]);
});
