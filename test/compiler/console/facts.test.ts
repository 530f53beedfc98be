import { expect, test } from "vitest";
import type { InterfaceFacts } from "#runtime/console/facts.ts";
import { consoleFacts } from "../../../compiler/console/facts.ts";
import { planTexts, printAll } from "../../../compiler/pipeline.ts";

// The facts of the console: what stands in them, and what must not.

async function pageOf(text: string, at = 0): Promise<InterfaceFacts> {
  const planned = planTexts([{ file: "t.yaml", text }]);
  expect(planned.failed).toBe(false);
  const { pages } = consoleFacts({ ...planned, modules: await printAll(planned) });
  return JSON.parse(pages[at] ?? "");
}

test("a warning stands at its line, in the interface that has it alone", async () => {
  const text = `name: t
interfaces:
  a: { method: GET, route: /x/:id, actions: [] }
  b: { method: GET, route: /x/new, actions: [] }
`;
  expect((await pageOf(text)).diagnostics).toEqual([]);
  expect((await pageOf(text, 1)).diagnostics).toMatchObject([{ code: "PW331", severity: "warning", line: 4 }]);
});

test("a secret that stands in the YAML as text is in no part of it", async () => {
  const page = await pageOf(`name: t
interfaces:
  a:
    method: GET
    actions:
      - name: A
        http: { url: "https://api.example.com/", headers: { authorization: "Bearer sk-live-canary-0123456789abcdef" } }
`);
  expect(page.diagnostics).not.toEqual([]);
  expect(JSON.stringify(page)).not.toContain("canary");
  expect(page.code).toEqual([]);
});

test("every printed line has a line of the interface, and the lines of an action have those of its YAML", async () => {
  const page = await pageOf(`name: t
interfaces:
  a:
    method: GET
    actions:
      - name: First
        json_output: { n: 1 }
      - name: Second
        run_when_succeeded: [First]
        json_output: { n: 2 }
`);
  const { yaml, code } = page;
  const last = yaml.first + yaml.lines.length - 1;
  expect(code.filter(({ line }) => line < yaml.first || line > last)).toEqual([]);
  const lineOf = (part: string): number | undefined => code.find(({ text }) => text.includes(part))?.line;
  expect([lineOf('"First"'), lineOf('"Second"')]).toEqual([6, 8]);
});
