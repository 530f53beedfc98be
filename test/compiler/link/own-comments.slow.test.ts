import { readFileSync } from "node:fs";
import { transformSync } from "esbuild";
import { expect, test } from "vitest";
import { withoutComments } from "../../../compiler/7-link/own-comments.ts";
import { root } from "../../harness/folders.ts";
import { sourceFiles } from "../../harness/rules/import-list.ts";

test("a source of the runtime without its comments is the same code on the same lines", () => {
  const shortest = (text: string): string => transformSync(text, { loader: "ts", minify: true }).code;
  const files = sourceFiles("runtime/**/*.ts");
  expect(files.length).toBeGreaterThan(500);
  const changed = files.filter((file) => {
    const text = readFileSync(new URL(file, root), "utf8");
    const rest = withoutComments(text);
    return shortest(rest) !== shortest(text) || rest.split("\n").length !== text.split("\n").length;
  });
  expect(changed).toEqual([]);
});

test("comments leave empty lines, and what only looks like one stays", () => {
  expect(withoutComments("class A {\n  /** One. */\n  a = 1;\n  /**\n   * Two\n   */\n  b = '/** no */';\n}\n")).toBe(
    "class A {\n\n  a = 1;\n\n\n\n  b = '/** no */';\n}\n",
  );
});
