import { dirname } from "node:path";
import { expect, test } from "vitest";
import { sourceFiles } from "../harness/rules/import-list.ts";

// Law `map`: a file is found by the folder of its noun, so that no folder has too many files to search.

const files = sourceFiles("{bin,compiler,runtime,scripts,templates,test}/**/*.{ts,mjs}").filter(
  (file) => !file.startsWith("test/fixtures/"),
);

test("few files lie loose in runtime/", () => {
  expect(files.filter((file) => dirname(file) === "runtime").length).toBeLessThanOrEqual(12);
});

/** Folders that may be larger: each feature has a file named as in YAML, which readers find at once when there are no subfolders. */
const listsOfFeatures = ["runtime/features/transforms", "runtime/features/matchers"];

test("a folder has at most 40 files", () => {
  const full = [...Map.groupBy(files, dirname)].filter(([, inside]) => inside.length > 40).map(([folder]) => folder);
  expect(files.length).toBeGreaterThan(700);
  expect(full.filter((folder) => !listsOfFeatures.includes(folder))).toEqual([]);
});
