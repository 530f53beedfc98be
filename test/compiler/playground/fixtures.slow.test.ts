import { expect, test } from "vitest";
import { codeFrame } from "../../../compiler/diagnostics/frame.ts";
import { compile } from "../../../templates/playground/compile.ts";
import type { Files } from "../../../templates/playground/compiled.ts";
import { fixturesOf, readFixture } from "../../harness/folders.ts";
import { commanded } from "./commanded.ts";

// The playground and the command, over the configurations of all fixtures.

test("fixtures give the same findings and, where nothing has to be proven, the same modules", async () => {
  const differing: string[] = [];
  let equal = 0;
  for (const fixture of fixturesOf("interfaces")) {
    const files: Files = [["config.yaml", readFixture("interfaces", fixture, "config.yaml")]];
    const compiled = compile(files);
    const { modules, diagnostics, sources } = await commanded(files);
    const found = diagnostics.slice(0, 200).map((each) => [each.code, each.message, codeFrame(each, sources)]);
    expect([fixture, compiled.diagnostics.map(({ code, message, frame }) => [code, message, frame])]).toEqual([fixture, found]);
    if (JSON.stringify(compiled.modules.map(({ code }) => code)) === JSON.stringify(modules.map(({ code }) => code))) equal += 1;
    else if (compiled.unproven === 0) differing.push(fixture);
  }
  expect(differing).toEqual([]);
  expect(equal).toBeGreaterThan(50);
});
