import { existsSync, readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { root } from "../harness/folders.ts";
import { sourceFiles } from "../harness/rules/import-list.ts";

// Law `internals`: the files, types and laws that the pages for contributors name exist. A page that names a moved file is worse than no
// page.

const pages = [...sourceFiles("docs/internals/*.md"), "docs/architecture.md", "CONTRIBUTING.md"];
/** Invented names, which pages use for files that a reader would write. */
const invented = ["N-name", "reverse_rows"];

const read = (file: string): string => readFileSync(new URL(file, root), "utf8");

/** Paths in backticks that begin with a folder of the repository. Paths with a pattern, a placeholder or a `#` are left out. */
const namedFiles = (page: string): readonly string[] =>
  [...page.matchAll(/`((?:bin|compiler|docs|generated|runtime|scripts|templates|test)\/[\w./-]+)`/g)].flatMap(([, path = ""]) =>
    invented.some((name) => path.includes(name)) ? [] : [path],
  );

/** Rows of the glossary: a noun, its type, the file in which the type is defined. */
const rows = [...read("docs/internals/glossary.md").matchAll(/^\| ([^|]+) \| `(\w+)` \| `([^`]+)` \|/gm)].map(
  ([, noun = "", type = "", file = ""]) => ({ noun, type, file }),
);

test.each(pages)("%s names files that are there", (page) => {
  const named = namedFiles(read(page));
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((path) => !existsSync(new URL(path, root)))).toEqual([]);
});

test("CONTRIBUTING.md lists every law", () => {
  const [, list = ""] = /^## Laws\n(.*?)^## /ms.exec(read("CONTRIBUTING.md")) ?? [];
  const listed = [...list.matchAll(/\*\*([a-z-]+)\*\*(?=[,:])/g)].map(([, law]) => law);
  const laws = readdirSync(new URL("test/laws/", root)).map((file) => file.replace(/\..*$/, ""));
  expect(listed.toSorted()).toEqual(laws.toSorted());
});

test("each noun of the glossary has one type, which its file defines", () => {
  expect(rows.length).toBeGreaterThan(25);
  expect(new Set(rows.map(({ noun }) => noun)).size).toBe(rows.length);
  expect(new Set(rows.map(({ type }) => type)).size).toBe(rows.length);
  expect(rows.filter(({ type, file }) => !defines(file, type))).toEqual([]);
});

/** Files whose types are named after other things: definitions of the schema, and the data of a page in a browser. */
const otherWorlds = ["generated/config.ts", "templates/console/api.ts"];

test("no other file exports a type by a name of the glossary", () => {
  const sources = sourceFiles("{bin,compiler,generated,runtime,scripts,templates}/**/*.{ts,mjs}");
  expect(sources.length).toBeGreaterThan(500);
  const others = sources
    .filter((source) => !otherWorlds.includes(source))
    .flatMap((source) => {
      const text = read(source);
      return rows.filter(({ type, file }) => file !== source && definesIn(text, type)).map(({ type }) => `${source}: ${type}`);
    });
  expect(others).toEqual([]);
});

test("a type that is not there is found", () => {
  expect(defines("runtime/triggers/protocol.ts", "Protocol")).toBe(true);
  expect(defines("runtime/triggers/protocol.ts", "NoSuchType")).toBe(false);
});

function defines(file: string, type: string): boolean {
  const path = new URL(file, root);
  return existsSync(path) && definesIn(readFileSync(path, "utf8"), type);
}

const definesIn = (text: string, type: string): boolean =>
  new RegExp(`^export (?:abstract )?(?:type|interface|class) ${type}\\b`, "m").test(text);
