import { describe, expect, test } from "vitest";
import { actions, matchers, transforms } from "#generated/features.ts";
import { plannedFixture, printedFixture } from "../harness/compile.ts";
import { wantedFixtures } from "../harness/folders.ts";
import { decidedElsewhere, ownSources } from "../harness/rules/fact-rules.ts";

// Law `facts`: only compiler/5-analyse decides facts that follow from a plan, and its list of used features agrees with the calls of the
// module.

test("nobody else decides what the analysis decides", () => {
  const sources = ownSources();
  expect(sources.length).toBeGreaterThan(300);
  expect(decidedElsewhere(sources)).toEqual([]);
});

test.each([
  ["compiler/6-print/ops.ts", "const f = (use: string) => transforms[use].async === true;", "reads a fact from the record of a feature"],
  ["compiler/6-print/tests.ts", "const g = ({ holds }: Matcher) => holds !== undefined;", "reads a fact from the record of a feature"],
  [
    "runtime/walk/walk.ts",
    "const waits = (op, parts) => part(parts.transforms, op.use).async;",
    "reads a fact from the record of a feature",
  ],
  ["compiler/4-plan/assert.ts", "const plan = { tests, waits: true as const };", "writes a fact into the plan"],
  ["compiler/6-print/ops.ts", "const late = { ...op, before: true };", "writes a fact into the plan"],
  ["compiler/7-link/manifest.ts", 'import { everyOp } from "../5-analyse/every.ts";', "goes through all ops or actions"],
  ["compiler/6-print/index.ts", 'const speaks = ops.some((op) => op.use === "mqtt_publish");', "asks which feature an op uses"],
  ["compiler/openapi/statuses.ts", 'const asks = "database" !== op.use;', "asks which feature an op uses"],
  ["compiler/7-link/optional-parts.ts", "const needed = /^ {2}protocols: \\[/m;", "reads what a module needs from its text"],
  [
    "compiler/7-link/optional-parts.ts",
    'const needed = modules.some(({ code }) => code.includes("x"));',
    "reads what a module needs from its text",
  ],
])("it bites: %s, %s", (file, text, what) => {
  expect(decidedElsewhere([{ file, text }])).toEqual([`${file}:1 ${what}`]);
});

test.each([
  ["compiler/5-analyse/features.ts", "const waits = record.async === true;"],
  ["compiler/4-plan/assert.ts", 'const filter = { op: "jq", label, waits: true };'],
  ["compiler/6-print/tests.ts", "const call = imports.holds(only.use);"],
])("it lets pass: %s, %s", (file, text) => {
  expect(decidedElsewhere([{ file, text }])).toEqual([]);
});

const tables = { transforms, matchers, actions };

describe.each(wantedFixtures("interfaces"))("%s", (name) => {
  const plan = plannedFixture(name);

  test.each(Object.keys(tables) as (keyof typeof tables)[])("uses the %s that its module calls", async (kind) => {
    const known = new Set(Object.keys(tables[kind]));
    const called = async (interpret: boolean): Promise<readonly string[]> =>
      (await printedFixture(name, { interpret })).runtime.filter((word) => known.has(word));
    const used = plan.plans.flatMap(({ uses }) => uses.features[kind]);
    // A walked module passes every feature to the walker. A printed module may call fewer: a loop over rows replaces several transforms,
    // and a condition may use the plain form of a matcher.
    expect(await called(true)).toEqual(used);
    expect((await called(false)).filter((word) => !used.includes(word))).toEqual([]);
  });
});
