import { describe, expect, test } from "vitest";
import { main } from "../../compiler/cli/main.ts";
import { planTexts, printAll } from "../../compiler/pipeline.ts";
import { packFolder, packNames, packTexts } from "./packs.ts";

// Every pack goes through the compiler without an error, and is printed for both paths.

const packs = packNames();

test.skipIf(packs.length === 0)("all packs are there", () => {
  expect(packs.length).toBeGreaterThanOrEqual(32);
});

describe.each(packs)("%s", (pack) => {
  const texts = packTexts(pack);
  const planned = planTexts(texts);

  test("every diagnostic stands inside its file", () => {
    for (const { code, at, message } of planned.diagnostics) {
      const source = texts.find(({ file }) => file === at.file)?.text ?? "";
      expect(code).toMatch(/^PW[1-7]\d\d$/);
      expect([at.start >= 0, at.start < at.end, at.end <= source.length], `${at.file}: ${message}`).toEqual([true, true, true]);
    }
  });

  test("nothing is wrong with it", () => {
    const wrong = planned.diagnostics.filter(({ severity }) => severity === "error");
    expect(wrong.map(({ at, code, message }) => `${at.file}: ${code} ${message}`)).toEqual([]);
  });

  test("the command reports on the folder as it lies there, and is no internal error", async () => {
    const [out, err]: [string[], string[]] = [[], []];
    const terminal = {
      ...{ cwd: packFolder(pack) ?? "", isTerminal: false, colors: { out: false, err: false }, env: {} },
      ...{ out: (text: string) => void out.push(text), err: (text: string) => void err.push(text) },
    };
    const status = await main(["check", ".", "--format", "json"], terminal);
    const { errors, diagnostics } = JSON.parse(out.join(""));
    expect([status, err]).toEqual([errors > 0 ? 1 : 0, []]);
    expect(diagnostics.length).toBeGreaterThanOrEqual(planned.diagnostics.length);
  });

  test.skipIf(planned.failed)("it is printed for both paths", async () => {
    for (const interpret of [false, true]) {
      const modules = await printAll(planned, { interpret });
      expect(modules.map(({ file }) => file)).toEqual(planned.plans.map(({ file }) => file));
    }
  });
});
