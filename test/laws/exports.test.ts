import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../harness/folders.ts";
import { sourceFiles } from "../harness/rules/import-list.ts";

// Law `exports`: a function or value that a file exports is imported by another one, so that a reader sees what belongs to the file alone.
// Types may be exported for signatures.

/** Files that take the place of a part of a package export what that part does. */
const standIns = "runtime/absent/";

/** The command begins with the first one, by a path that it works out; a trigger that `npm run new` writes calls the second. */
const readOtherwise = ["compiler/cli/start.ts main", "runtime/triggers/bound.ts bound"];

const read = (file: string): string => readFileSync(new URL(file, root), "utf8");

/** Comments that have lines of their own: the façade explains each name in the braces of its exports. */
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

/** The imports of a file, as `file name`; the name is `*` where it may be anything. */
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
