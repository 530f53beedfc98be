import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Diagnostic } from "../../../compiler/diagnostics/diagnostic.ts";
import { fixtureFile, readFixture, wantedFixtures } from "../../harness/folders.ts";
import { update } from "../../harness/rules/words.ts";
import { afterFix, planCase, renderCase } from "./diagnostic-cases.ts";

it("every mistake of a file is reported in one pass, in the order of the file", () => {
  const { diagnostics } = planCase("many-mistakes");
  const places = diagnostics.map(({ at }) => at.start);
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(places.length).toBeGreaterThanOrEqual(10);
  const families = new Set(diagnostics.map(({ code }) => code.slice(0, 3)));
  expect([...families].sort()).toEqual(["PW1", "PW2", "PW3", "PW4"]);
});

describe.each(wantedFixtures("diagnostics"))("diagnostics of %s", (name) => {
  const planned = planCase(name);

  it("are shown as in expected.txt", () => {
    const rendered = renderCase(planned);
    if (update) writeFileSync(fixtureFile("diagnostics", name, "expected.txt"), rendered);
    expect(rendered).toBe(readFixture("diagnostics", name, "expected.txt"));
  });

  it("are mended by their fixes, each without a new mistake", () => {
    const before = planned.diagnostics.map(said);
    for (const { fix, ...found } of planned.diagnostics) {
      if (fix === undefined) continue;
      const after = afterFix(name, fix);
      expect(after.filter(({ at }) => at.start === found.at.start).map(said)).not.toContain(said(found));
      // A note is no mistake: what is mended may be looked at for the first time.
      const mistakes = after.filter(({ severity }) => severity !== "note");
      expect(mistakes.map(said).filter((one) => !before.includes(one))).toEqual([]);
    }
  });
});

const said = ({ at, code, message }: Pick<Diagnostic, "at" | "code" | "message">): string => `${at.file}: ${code} ${message}`;
