import { describe, expect, test } from "vitest";
import { show } from "#runtime/value/show.ts";
import { casesOf, endings, type FeatureCase, type Kind, loadFeature, writtenCases } from "../../harness/feature-cases.ts";
import { called, compiled, compiledPaths, type Left } from "../../harness/feature-paths.ts";
import { featuresOf, fixturesOf, wantedFixtures } from "../../harness/folders.ts";

// Each case of test/fixtures/{transforms,matchers}/<name>/cases.yaml has the same result on four paths: a direct call of the function, and
// a config with it that is walked, printed, or printed with markers as arguments, so that stage 1 moves to run time.

const kinds = ["transforms", "matchers"] as const satisfies readonly Kind[];

describe.each(kinds)("%s", (kind) => {
  test("have a fixture each, and each fixture a feature", () => {
    expect(fixturesOf(kind)).toEqual(featuresOf(kind));
  });

  test.each(wantedFixtures(kind))("%s: its cases are well-formed", (feature) => {
    const cases = writtenCases(kind, feature);
    expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
    for (const one of cases) {
      expect(["seed", "docs", "choice"], one.name).toContain(one.source);
      const words = endings[kind].filter((word) => Object.hasOwn(one, word));
      expect(words, one.name).toHaveLength(1);
    }
  });
});

for (const kind of kinds) {
  describe.each(wantedFixtures(kind))(`${kind}/%s`, (name) => {
    test("called", async () => {
      const feature = await loadFeature(kind, name);
      for (const one of casesOf(kind, name)) expect.soft(await called(one, kind, feature), one.name).toMatchObject(matching(one));
    });

    test.runIf(kind === "matchers")("says no secret operand", async () => {
      const { run, prepare, async, inRun } = await loadFeature(kind, name);
      for (const { name: rule, args, data, options, expected } of casesOf(kind, name)) {
        if (!("detail" in expected) || expected.detail === null || async || inRun) continue;
        const verdict: unknown = run(data, prepare === undefined ? args : prepare(args), options);
        if (typeof verdict === "function") expect.soft(verdict(true), rule).toMatch(/\*\*\*$/);
        else if (typeof args === "string" || typeof args === "number") expect.soft(verdict, rule).not.toContain(show(args));
      }
    });

    test("called for yes or no", async () => {
      const { holds } = await loadFeature(kind, name);
      for (const { name: rule, data, args, options, expected } of casesOf(kind, name))
        if (holds !== undefined && "detail" in expected && Object.keys(options).length === 0)
          expect.soft(holds(data, args), rule).toBe(expected.detail === null);
    });

    test.each(compiledPaths)("%s", async (path) => {
      const cases = casesOf(kind, name);
      const feature = await loadFeature(kind, name);
      const said = await compiled(path, { kind, name, schema: feature.schema }, cases);
      for (const one of cases) {
        const { left, dynamic } = said.get(one.name) ?? {};
        if (left === undefined) continue;
        const { reason } = await called(one, kind, feature);
        expect.soft(left, one.name).toEqual(dynamic ? atRunTime(one, kind, reason) : written(one));
      }
    });
  });
}

/** The result that a case expects. For a pattern this is an asymmetric matcher of vitest. */
function matching({ expected }: FeatureCase): Left {
  return "matches" in expected ? { gives: expect.stringMatching(new RegExp(expected.matches)) } : expected;
}

const written = (one: FeatureCase): Left => (one.unwritable === undefined ? matching(one) : { refused: one.unwritable });

/** A refusal that comes at run time has the text that `check` would have reported (spec/transforms 2.2). */
function atRunTime(one: FeatureCase, kind: Kind, reason: string | undefined): Left {
  if (reason === undefined) return matching(one);
  return kind === "transforms" ? { fails: reason } : { detail: reason };
}
