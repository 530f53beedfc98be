import { expect, test } from "vitest";
import type { ShownModules } from "../../../compiler/cli/dev/changed-modules.ts";
import { changedModules } from "../../../compiler/cli/dev/changed-modules.ts";
import { planTexts, printAll } from "../../../compiler/pipeline.ts";

// The changes of the last save, as the page of `dev` shows it.

const open: ReadonlySet<string> = new Set();

async function version(texts: Readonly<Record<string, string>>, sealed = open): Promise<ShownModules> {
  const planned = planTexts(Object.entries(texts).map(([file, text]) => ({ file, text })));
  expect(planned.diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  return { modules: await printAll(planned), sealed };
}

const one = (body: string): string =>
  `name: one\ninterfaces:\n  a:\n    method: GET\n    actions:\n      - { name: A, json_output: ${body} }\n`;

test("a save that changes a value shows the lines that are printed of it, and nothing far from them", async () => {
  const [change, ...others] = changedModules(await version({ "a.yaml": one("[1]") }), await version({ "a.yaml": one("[2]") }));
  expect(others).toEqual([]);
  expect(change).toMatchObject({ file: "a.yaml", added: 1, removed: 1 });
  const [removed, added] = (["removed", "added"] as const).map((kind) => change?.lines.filter((line) => line.kind === kind));
  expect(removed?.map(({ text }) => text)).toEqual([expect.stringContaining("[1]")]);
  expect(added?.map(({ text }) => text)).toEqual([expect.stringContaining("[2]")]);
  expect(change?.lines.filter(({ kind }) => kind === "same").length).toBeLessThanOrEqual(6);
});

test("a line above the interfaces changes nothing, since only places in comments move", async () => {
  const [before, now] = [await version({ "a.yaml": one("[1]") }), await version({ "a.yaml": `# more\n${one("[1]")}` })];
  expect(before.modules[0]?.code).not.toBe(now.modules[0]?.code);
  expect(changedModules(before, now)).toEqual([]);
});

test("a module that comes or goes is shown whole", async () => {
  const [alone, both] = [
    await version({ "a.yaml": one("[1]") }),
    await version({ "a.yaml": one("[1]"), "b.yaml": one("[3]").replace("one", "two").replace("  a:", "  b:") }),
  ];
  const [come] = changedModules(alone, both);
  expect(come).toMatchObject({ file: "b.yaml", removed: 0 });
  expect(come?.added).toBeGreaterThan(10);
  expect(changedModules(both, alone)).toMatchObject([{ file: "b.yaml", added: 0, removed: come?.added }]);
});

test("nothing is shown of a module that holds a secret as text, before or now", async () => {
  const [before, now] = [await version({ "a.yaml": one("[1]") }), await version({ "a.yaml": one("[2]") })];
  const sealed = new Set(["a.yaml"]);
  for (const [from, to] of [
    [{ ...before, sealed }, now],
    [before, { ...now, sealed }],
  ] as const)
    expect(changedModules(from, to)).toEqual([
      { file: "a.yaml", added: 0, removed: 0, lines: [], hidden: expect.stringContaining("secret") },
    ]);
});

test("a module that is nearly another one, and a diff of thousands of lines, are bounded", () => {
  const module = (code: string): ShownModules => ({
    modules: [{ file: "a.yaml", code }] as unknown as ShownModules["modules"],
    sealed: open,
  });
  const lines = (count: number, word: string): string => Array.from({ length: count }, (_, i) => `${word} ${i}`).join("\n");
  expect(changedModules(module(lines(9_000, "a")), module(lines(9_000, "b")))).toMatchObject([
    { lines: [], hidden: expect.stringContaining("Nearly all") },
  ]);
  const [long] = changedModules(module(""), module(lines(3_000, "a")));
  expect(long?.lines).toHaveLength(2_000);
  expect(long?.hidden).toContain("more lines");
});
