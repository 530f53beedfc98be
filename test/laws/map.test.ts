import { dirname } from "node:path";
import { expect, test } from "vitest";
import { sourceFiles } from "../harness/rules/import-list.ts";

// Law `map`: a file is found by the folder of its noun. No folder is so full that its names no longer say where to look.

const files = sourceFiles("{bin,compiler,runtime,scripts,templates,test}/**/*.{ts,mjs}").filter(
  (file) => !file.startsWith("test/fixtures/"),
);

test("few files lie loose in runtime/", () => {
  expect(files.filter((file) => dirname(file) === "runtime").length).toBeLessThanOrEqual(12);
});

/** A feature has one file of the name that it has in YAML, which is found in one guess only when no further folder is between. */
const listsOfFeatures = ["runtime/features/transforms", "runtime/features/matchers"];

test("a folder has at most 40 files", () => {
  const full = [...Map.groupBy(files, dirname)].filter(([, inside]) => inside.length > 40).map(([folder]) => folder);
  expect(files.length).toBeGreaterThan(700);
  expect(full.filter((folder) => !listsOfFeatures.includes(folder))).toEqual([]);
});
