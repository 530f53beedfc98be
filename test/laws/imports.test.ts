import { expect, test } from "vitest";
import { circles } from "../harness/rules/circles.ts";
import { importsOf, sourceFiles } from "../harness/rules/import-list.ts";
import { forbidden, isPackage, unneeded } from "../harness/rules/imports-judge.ts";

// Law `imports`: every import of the sources and of the printed modules of the fixtures follows the rules.

const imports = importsOf(sourceFiles("runtime/**/*.ts", "compiler/**/*.ts", "templates/*.ts", "test/fixtures/interfaces/*/expected.ts"));

test("nobody imports what the table does not allow", () => {
  expect(imports.length).toBeGreaterThan(500);
  expect(forbidden(imports)).toEqual([]);
  expect(unneeded(imports)).toEqual([]);
});

test("the table bites", () => {
  const wrong = [
    ["runtime/features/transforms/rename_keys.ts", "runtime/features/transforms/remove_keys.ts"],
    ["runtime/features/matchers/like.ts", "runtime/run/run.ts"],
    ["runtime/features/actions/http.ts", "runtime/features/actions/delay.ts"],
    ["runtime/walk/walk.ts", "runtime/features/matchers/like.ts"],
    ["runtime/value/json.ts", "compiler/pipeline.ts"],
    ["compiler/2-check/index.ts", "compiler/4-plan/index.ts"],
    ["compiler/4-plan/index.ts", "compiler/5-analyse/index.ts"],
    ["compiler/5-analyse/index.ts", "compiler/6-print/index.ts"],
    ["compiler/6-print/index.ts", "compiler/7-link/index.ts"],
    ["compiler/6-print/index.ts", "node:fs"],
    ["compiler/1-read/index.ts", "node:fs"],
    ["compiler/5-analyse/durable.ts", "node:crypto"],
    ["compiler/phases.ts", "node:path"],
    ["compiler/phases.ts", "compiler/pipeline.ts"],
    ["compiler/4-plan/index.ts", "runtime/features/transforms/bcrypt.ts"],
    ["test/fixtures/interfaces/static/expected.ts", "generated/features.ts"],
  ].map(([from = "", to = ""]) => ({ from, to, typeOnly: false }));
  expect(forbidden(wrong)).toEqual(wrong.map(({ from, to }) => `${from} -> ${to}`));
});

test("no file needs itself at run time", () => {
  expect(circles(imports.filter(({ typeOnly }) => !typeOnly))).toEqual([]);
});

/** The remaining circles of types: a loop contains planned actions, and an interface and its runs refer to each other. */
const circlesOfTypes = [
  ["compiler/4-plan/action.ts", "compiler/4-plan/lookup.ts"],
  ["runtime/run/interface.ts", "runtime/run/run.ts"],
];

test("two circles of types are left, of two files each", () => {
  expect(circles(imports).toSorted()).toEqual(circlesOfTypes);
});

test("a circle is found", () => {
  const round = [
    ["a.ts", "b.ts"],
    ["b.ts", "c.ts"],
    ["c.ts", "a.ts"],
    ["c.ts", "d.ts"],
    ["e.ts", "a.ts"],
  ].map(([from = "", to = ""]) => ({ from, to, typeOnly: false }));
  expect(circles(round)).toEqual([["a.ts", "b.ts", "c.ts"]]);
});

/** Packages that several files may import. Files of variables are YAML, which every process reads. */
const everywhere: ReadonlySet<string> = new Set(["yaml"]);

test("a package is imported by one file of the runtime, which who needs it asks", () => {
  const runtime = imports.filter(({ from, to, typeOnly }) => !typeOnly && from.startsWith("runtime/") && isPackage(to));
  const users = Map.groupBy(runtime, ({ to }) => to);
  const shared = [...users].filter(([name, found]) => !everywhere.has(name) && new Set(found.map(({ from }) => from)).size > 1);
  expect(shared.map(([name]) => name)).toEqual([]);
});
