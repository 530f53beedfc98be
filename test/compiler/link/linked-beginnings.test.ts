import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { root } from "../../harness/folders.ts";

// The published package has the files of the runtime that something begins with or imports (scripts/build/linked.mjs).

test("all that a link imports by a text of its own is in the package", async () => {
  const { beginnings }: { beginnings: RegExp } = await import(new URL("scripts/build/linked.mjs", root).href);
  const source = readFileSync(new URL("compiler/7-link/virtual.ts", root), "utf8");
  const files = [...source.matchAll(/^ +'import .* from "#runtime\/(.*)\.ts";'/gm)].map(([, name]) => `runtime/${name}.js`);
  expect(files).toContain("runtime/enforce/enforcement.js");
  expect(files.filter((file) => !beginnings.test(file))).toEqual([]);
});
