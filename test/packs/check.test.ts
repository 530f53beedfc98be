import { afterAll, describe, expect, test } from "vitest";
import { main } from "../../compiler/cli/main.ts";
import { planTexts, printAll } from "../../compiler/pipeline.ts";
import { packFolder, packNames, packTexts } from "./packs.ts";

// Every pack goes through the compiler: what it cannot do yet is said at the place, and what it can do is printed for both paths.

const packs = packNames();
const unsupported = new Map<string, ReadonlySet<string>>();

afterAll(() => {
  if (packs.length === 0) return;
  const list = [...unsupported].filter(([, parts]) => parts.size > 0).map(([pack, parts]) => `${pack} (${[...parts].join(", ")})`);
  console.log(
    `${packs.length - list.length} of ${packs.length} packs compile with no unsupported feature; not yet: ${list.join(", ") || "none"}`,
  );
});

test.skipIf(packs.length === 0)("all packs are there", () => {
  expect(packs.length).toBeGreaterThanOrEqual(32);
});

test.skipIf(packs.length === 0)("at most three packs need what is not there yet", () => {
  expect([...unsupported].filter(([, parts]) => parts.size > 0).length).toBeLessThanOrEqual(3);
});

describe.each(packs)("%s", (pack) => {
  const texts = packTexts(pack);
  const planned = planTexts(texts);
  const named = planned.diagnostics.filter(({ code }) => code === "PW700");
  unsupported.set(pack, new Set(named.map(({ message }) => /'(.+)'/.exec(message)?.[1] ?? message)));

  test("every diagnostic stands inside its file", () => {
    for (const { code, at, message } of planned.diagnostics) {
      const source = texts.find(({ file }) => file === at.file)?.text ?? "";
      expect(code).toMatch(/^PW[1-7]\d\d$/);
      expect([at.start >= 0, at.start < at.end, at.end <= source.length], `${at.file}: ${message}`).toEqual([true, true, true]);
    }
  });

  test("an unsupported part is named once for each file, with the line of its first use", () => {
    expect(new Set(named.map(({ at, message }) => `${at.file}: ${message}`)).size).toBe(named.length);
    for (const { at, message } of named) {
      const words = /^'(.+)' is not supported by this version$/.exec(message)?.[1]?.split(" ") ?? [];
      const source = texts.find(({ file }) => file === at.file)?.text ?? "";
      expect(source.slice(at.start, at.end), `${at.file}: ${message}`).toBe(words.at(-1));
      // A value is named with its key; the place is that of the value.
      const first = source.search(new RegExp(`^[ -]*${words.join(": ")}(?::|$)`, "m"));
      expect(lineAt(source, at.start), `${at.file}: ${message}`).toBe(lineAt(source, first));
    }
  });

  test("nothing else is wrong with it: nothing is reported as an error but what is unsupported", () => {
    const wrong = planned.diagnostics.filter(({ code, severity }) => severity === "error" && code !== "PW700");
    expect(wrong.map(({ at, code, message }) => `${at.file}: ${code} ${message}`)).toEqual([]);
  });

  test("the command reports on the folder as it lies there, and is no internal error", async () => {
    const [out, err]: [string[], string[]] = [[], []];
    const terminal = {
      ...{ cwd: packFolder(pack) ?? "", isTerminal: false, env: {} },
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

const lineAt = (text: string, offset: number): number => text.slice(0, offset).split("\n").length;
