import { readdirSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { PrintedModule } from "../../../compiler/6-print/index.ts";
import { renderFrames } from "../../../compiler/diagnostics/frame.ts";
import { planTexts, printAll } from "../../../compiler/pipeline.ts";
import { typeFaults } from "../../../compiler/types/faults.ts";
import { diagnosticsOf } from "../../../compiler/types/origin.ts";
import { nothingUsed } from "../../harness/compile.ts";
import { parseYaml, root, sharedFolder } from "../../harness/folders.ts";
import { run } from "../../harness/terminal.ts";

/** Every kind of place where a printed parameter, option or constant may turn out not to be used. */
const corners = `name: Corners
global:
  variables: { WORD: cx, AT: "a|timestamp:ms|" }
  databases:
    cx: { driver: sqlite, conn_string: "sqlite:cx.db" }
interfaces:
  corners:
    method: POST
    actions:
      - name: Constant
        json_output: { op: action, name: Unread, inner: { op: data } }
        response_on_success: { body: act data, headers: { x-act: act } }
      - name: Unread
        json_output: '{"op": "data"}'
        response_on_error: { http_code: 400, body: '{"now": a|timestamp|}' }
      - name: Defaults
        input: a|body::a->default(x)->default(y)|
        input_fallbacks: [none, a|body::c|]
      - name: Sourceless
        assert: { tests: [{ value: "a|Sourceless->default(x)|", is_equal_to: x }] }
      - name: List
        json_output: [{ constructor: a|body::a| }, { b: a|body::b| }]
        assert: { tests: [{ value: "[0].constructor", is_null: true }, { value: "[1].b", is_null: true }] }
      - name: Unset
        json_output: { a: "a|body::a->default()->default(x)|", b: "<a|body::b->default(1)->default(2)|>" }
      - name: Folded
        input: a|body|
        assert:
          error_message: wrong, a|body::name|
          tests:
            - { value: name, regex: "^a|Constant::x|$", is_equal_to: a, case_insensitive: true }
            - { value: list, contains: x, is_not_null: false }
        post_transforms:
          - add_attribute: { id: a|uuid|, "k-a|body::k|": "a|Folded::t->upper|" }
          - return_row: a|Constant::n|
      - name: class
        database: cx
        query: SELECT 'a|body::a|' AS a, a|body::list->array_values| AS b
    assert:
      tests: [{ action: Constant, value: x, is_null: true }]
    response: { headers: { x: "a|Constant::x->default(none)|" }, custom_body: done }
`;

/** Faults of these configs, compiled and interpreted, as people would see them. */
async function faultsOf(texts: readonly { readonly file: string; readonly text: string }[]): Promise<string> {
  const shown: string[] = [];
  const checked: { readonly module: PrintedModule; readonly planned: ReturnType<typeof planTexts> }[] = [];
  for (const each of texts) {
    const planned = planTexts([each]);
    if (planned.failed) continue;
    for (const interpret of [false, true]) checked.push(...(await printAll(planned, { interpret })).map((module) => ({ module, planned })));
  }
  const faults = typeFaults(checked.map(({ module }) => module));
  for (const { module, planned } of checked) {
    const own = diagnosticsOf(
      faults.filter((fault) => fault.module === module),
      planned.sources,
    );
    shown.push(renderFrames(own, planned.sources));
  }
  if (checked.length === 0) throw new Error("nothing was checked");
  return shown.join("");
}

test("check --types: the starter has nothing to report", async () => {
  expect(await run(fileURLToPath(root), "check", "templates/http-sqlite", "--types")).toEqual({
    status: 0,
    out: "1 config checked, nothing to report\n",
    err: "1 module type-checked, nothing to report\n",
  });
});

test("what a config leaves out is not printed as an unused parameter", async () => {
  expect(planTexts([{ file: "corners.yaml", text: corners }]).diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  expect(await faultsOf([{ file: "corners.yaml", text: corners }])).toBe("");
});

test("a type error is shown in the YAML, as a bug of ours", async () => {
  const text = `name: Shop\ninterfaces:\n  orders:\n    actions:\n      - name: Body\n        input: a|body|\n        assert:\n          tests:\n            - { value: id, is_equal_to: 1 }\n`;
  const planned = planTexts([{ file: "../api/shop.yaml", text }]);
  const [module] = await printAll(planned);
  if (module === undefined) throw new Error("nothing was printed");
  const broken = { ...module, code: module.code.replace("pw.is_equal_to(t, 1)", "pw.is_equal_to(t)") };
  expect(broken.code).not.toBe(module.code);
  const [found, ...more] = diagnosticsOf(typeFaults([broken]), planned.sources);
  expect(more).toEqual([]);
  expect(renderFrames(found === undefined ? [] : [found], planned.sources)).toMatchInlineSnapshot(`
    "../api/shop.yaml:9:41: error PW701: the printed module does not type-check: Expected 2-3 arguments, but got 1.
       7 |         assert:
       8 |           tests:
    >  9 |             - { value: id, is_equal_to: 1 }
         |                                         ^^^
      hint: line 18 of _/api/shop.ts is: pw.test("id", pw.at(cx.body, "id"), (t) => ({ is_equal_to: pw.is_equal_to(t) })), -- this is a bug of pipewright, not a mistake of this file; please report it with this text

    1 error
    "
  `);
});

test("an error outside of every statement is shown at the start of the file", () => {
  const planned = planTexts([{ file: "a.yaml", text: "name: a\ninterfaces: {}\n" }]);
  const module = {
    file: "a.yaml",
    name: "a",
    sources: ["a.yaml"],
    uses: nothingUsed,
    runtime: [],
    map: '{"version":3,"sources":[],"names":[],"mappings":""}',
  };
  const faults = typeFaults([{ ...module, code: 'import { nothing } from "#runtime/nowhere.ts";\nexport const config = nothing;\n' }]);
  expect(diagnosticsOf(faults, planned.sources)).toMatchObject([{ code: "PW701", at: { file: "a.yaml", start: 0, end: 0 } }]);
});

test("every config of the example packs and cases that is accepted type-checks", async () => {
  const packs = sharedFolder("packs");
  const cases = sharedFolder("cases");
  if (packs === undefined || cases === undefined) return;
  expect(await faultsOf([...textsBelow(packs), ...textsBelow(cases).flatMap(configsOf)])).toBe("");
});

function textsBelow(folder: URL) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.ya?ml$/.test(entry.name))
    .map((entry) => `${entry.parentPath}/${entry.name}`)
    .map((path) => ({ file: relative(fileURLToPath(folder), path), text: readFileSync(path, "utf8") }));
}

function configsOf({ file, text }: { readonly file: string; readonly text: string }) {
  // The cases are a list of records, of which these two are text.
  const cases = parseYaml(text) as readonly { readonly name: string; readonly config?: string }[];
  return cases.flatMap(({ name, config }) => (config === undefined ? [] : [{ file: `${file}/${name}.yaml`, text: config }]));
}
