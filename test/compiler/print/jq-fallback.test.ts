import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { run } from "../../harness/terminal.ts";

// `check` and `build` name the filters that jq itself has to run, and `--deny jq-fallback` refuses them (spec/jq-jsonpath-regex A.4.4).

const folder = mkdtempSync(join(tmpdir(), "pipewright-jq-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const config = (more = ""): string => `name: rows
interfaces:
  rows:
    method: POST
${more}    actions:
      - name: Rows
        input: a|body|
        assert: { tests: [{ jq: ".rows | map(.id)", is_not_empty: true }, { jq: "[.. | numbers]", is_not_empty: true }] }
        post_transforms:
          - extract_with_jq: .rows | map({id, name})
          - extract_with_jq: .[] | [.id, .name] | @csv
      - name: Marker
        json_output: "a|body::jq::[limit(2; .rows[])]|"
`;

test("check says one line for each", async () => {
  writeFileSync(join(folder, "rows.yaml"), config());
  const { status, out } = await run(folder, "check", "rows.yaml");
  expect(out.split("\n")).toEqual([
    "1 config checked, nothing to report",
    "rows.yaml:8:81: jq filter falls back to jq itself: ..",
    "rows.yaml:11:13: jq filter falls back to jq itself: @csv",
    "rows.yaml:13:23: jq filter falls back to jq itself: limit/2",
    "",
  ]);
  expect(status).toBe(0);
});

test("--deny jq-fallback makes them errors", async () => {
  writeFileSync(join(folder, "rows.yaml"), config());
  const checked = await run(folder, "check", "rows.yaml", "--deny", "jq-fallback", "--format", "json");
  expect(checked.status).toBe(1);
  expect(JSON.parse(checked.out)).toMatchObject({ errors: 3, diagnostics: [{ code: "PW702" }, { code: "PW702" }, { code: "PW702" }] });
  const built = await run(folder, "build", "rows.yaml", "--env", "test", "--no-executable", "--deny", "jq-fallback");
  expect(built.status).toBe(1);
  expect(built.err).toContain("error PW702: jq filter falls back to jq itself: @csv");
});

test("an interface that is walked asks jq by choice", async () => {
  writeFileSync(join(folder, "rows.yaml"), config("    disable_fastpath: true\n"));
  const { status } = await run(folder, "check", "rows.yaml", "--deny", "jq-fallback");
  expect(status).toBe(0);
});
