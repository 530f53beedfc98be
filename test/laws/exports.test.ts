import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../harness/folders.ts";
import { sourceFiles } from "../harness/rules/import-list.ts";

// Law `exports`: a function or value that a file exports is imported by another one, so that readers can see which parts are private to the
// file. Types may be exported for signatures.

/** Stand-ins for parts of packages. They must have the same exports as the part. */
const standIns = "runtime/absent/";

/**
 * Exports that are used without a visible import: bin/pipewright.mjs computes the path of the first, and triggers that `npm run new` writes
 * call the second.
 */
const readOtherwise = ["compiler/cli/start.ts main", "runtime/triggers/bound.ts bound"];

const read = (file: string): string => readFileSync(new URL(file, root), "utf8");

/** Comments on lines of their own. They are removed first, because the façade has them inside the braces of its exports. */
const comments = /^ *\/\*\*(?:(?!\*\/)[\s\S])*\*\/$|^ *\/\/.*$/gm;

test("what is exported is imported", () => {
  const sources = sourceFiles("{compiler,runtime}/**/*.ts").filter((file) => !file.startsWith(standIns));
  const users = sourceFiles("{bin,compiler,generated,runtime,scripts,templates,test}/**/*.{ts,tsx,mjs}");
  expect(sources.length).toBeGreaterThan(700);
  const imported = new Set(users.filter((file) => !file.startsWith("test/fixtures/")).flatMap((file) => importedBy(file, read(file))));
  const exported = sources
    .filter((file) => !imported.has(`${file} *`))
    .flatMap((file) => exportedBy(read(file)).map((name) => `${file} ${name}`));
  expect(exported.filter((one) => !imported.has(one))).toEqual(readOtherwise);
});

test("what nobody imports is found", () => {
  expect(exportedBy("export const one = 1;\nexport async function two() {}\nexport interface Three {}\nconst four = 4;")).toEqual([
    "one",
    "two",
  ]);
  const user =
    'import { one as first,\n type Two } from "./a.ts";\nexport { three } from "../b.ts";\nconst d = await import("#runtime/d.ts");';
  expect(importedBy("x/c.ts", user)).toEqual(["x/a.ts one", "x/a.ts Two", "b.ts three", "runtime/d.ts *"]);
});

/** The imports of a file, as `file name`; the name is `*` when any export may be used. */
function importedBy(file: string, text: string): readonly string[] {
  const target = (specifier: string): string => (specifier.startsWith("#") ? specifier.slice(1) : join(dirname(file), specifier));
  const named = [
    ...text.replace(comments, "").matchAll(/^(?:import|export) (?:type )?(?:\{([^}]*)\}|\*(?: as \w+)?) from "([#.][^"]+)"/gm),
  ];
  const later = [...text.matchAll(/\bimport\(\s*"([#.][^"]+)"/g)];
  return [
    ...named.flatMap(([, names = "*", from = ""]) =>
      names.split(",").flatMap((name) => {
        const [word] = name
          .replace(/^\s*type\s+(?=\w)/, "")
          .trim()
          .split(" ");
        return word === undefined || word === "" ? [] : `${target(from)} ${word}`;
      }),
    ),
    ...later.map(([, from = ""]) => `${target(from)} *`),
  ];
}

/** The functions, classes and values that a file exports. */
const exportedBy = (text: string): readonly string[] =>
  [...text.matchAll(/^export (?:async )?(?:abstract )?(?:function\*?|const|class) (\w+)/gm)].map(([, name = ""]) => name);
