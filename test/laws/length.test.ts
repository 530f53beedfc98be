import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { root } from "../harness/folders.ts";
import { sourceFiles } from "../harness/rules/import-list.ts";

// Law `length`: no source and no test is longer than 300 lines, since a reader holds no more at once. Cases of one theme have a file of
// their own.

const files = sourceFiles("{bin,compiler,runtime,templates,test}/**/*.{ts,mjs}").filter((file) => !file.endsWith("/expected.ts"));
const lengths = files.map((file) => ({ file, lines: readFileSync(new URL(file, root), "utf8").split("\n").length - 1 }));

test("no source is longer than 300 lines", () => {
  expect(files.length).toBeGreaterThan(200);
  const long = lengths.filter(({ lines }) => lines > 300).toSorted((a, b) => b.lines - a.lines);
  for (const { file, lines } of long) console.log(`${lines} lines: ${file}`);
  expect(long).toEqual([]);
});
