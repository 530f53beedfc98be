import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { root } from "../harness/folders.ts";
import { sourceFiles } from "../harness/rules/import-list.ts";

// Law `references`: each section of the specification that is cited exists, and no comment names a document that is not in the repository.
// A reader who follows a reference must find the rule, and renumbering a rule must update its citations.

const texts = readdirSync(new URL("docs/spec/", root)).map((name) => name.replace(/\.md$/, ""));
const sections = new Map(texts.map((name) => [name, sectionsOf(read(`docs/spec/${name}.md`))]));

const number = String.raw`(?:D?\d+(?:\.\d+)*|[A-C](?:\.\d+)*)(?![\w-])`;
const item = String.raw`${number}(?: [A-M]\b(?![.-]))?`;
const citation = new RegExp(String.raw`\bspec\/(${texts.join("|")})(?!\.md)\b( ${item}(?:(?:, | and | to )${item})*)?`, "g");

/** Files with citations: sources, tests with their fixtures, scripts, and pages for people who change the project. */
const citing = sourceFiles("{bin,compiler,runtime,scripts,templates,test}/**/*.{ts,mjs,js,yaml,md}").filter(
  (file) => !file.endsWith("/references.test.ts"),
);
const documents = sourceFiles("*.md", "{docs,generated,templates,test}/**/*.{md,txt}");
const inside = ["CONTRIBUTING.md", "docs/architecture.md", ...sourceFiles("docs/{spec,internals}/*.md")];
/** Pages for people who use the project. */
const outside = ["README.md", ...sourceFiles("docs/*.md"), ...sourceFiles("generated/reference/**/*.md")].filter(
  (file) => !inside.includes(file),
);

test("each section that is cited exists", () => {
  expect(citing.length).toBeGreaterThan(500);
  const all = [...citing, ...inside].flatMap((file) => citationsOf(read(file)).map((cited) => ({ file, ...cited })));
  expect(all.length).toBeGreaterThan(500);
  expect(all.filter(({ text, section }) => !sections.get(text)?.has(section))).toEqual([]);
});

test("there is one form of citing", () => {
  const other = new RegExp(String.raw`\b(?:${texts.join("|")})\.md,?\s+(?:\*\s+)?[A-D]?\d`);
  expect([...citing, ...inside].filter((file) => other.test(read(file)))).toEqual([]);
});

test("a citation that leads nowhere is found", () => {
  expect(citationsOf("(spec/language 2.8 C, 6.3 and 99.1, spec/decisions D7)")).toEqual([
    { text: "language", section: "2.8" },
    { text: "language", section: "6.3" },
    { text: "language", section: "99.1" },
    { text: "decisions", section: "D7" },
  ]);
  expect(sections.get("language")?.has("99.1")).toBe(false);
  expect(citationsOf("as spec/language says")).toEqual([{ text: "language", section: "" }]);
  expect(strangeDocuments("// as house.md says\nconst file = 'house.md'; // see docs/architecture.md")).toEqual(["house.md"]);
});

test("no comment names a document that is not in the repository", () => {
  const strange = citing.flatMap((file) => strangeDocuments(read(file)).map((name) => `${file}: ${name}`));
  expect(strange).toEqual([]);
});

test("no number is cited of a list that is not in the repository", () => {
  const unlisted = /\bhouse rule\b|\bthreat T\d/i;
  expect(unlisted.test("// hidden, as more people read it (threat T9)")).toBe(true);
  expect([...citing, ...inside].filter((file) => unlisted.test(read(file)))).toEqual([]);
});

test("pages for users cite nothing", () => {
  expect(outside.length).toBeGreaterThan(100);
  expect(outside.filter((file) => citationsOf(read(file)).length > 0)).toEqual([]);
  const bare = new RegExp(String.raw`\((?:${texts.join("|")})(?:\.md)? \d`);
  expect(outside.filter((file) => bare.test(read(file)))).toEqual([]);
});

test("sentences of pages for users end with their last word", () => {
  const torn = outside.filter((file) =>
    /[a-z] \.(?:\s|$)/m.test(
      read(file)
        .replace(/^ *```[\s\S]*?^ *```$/gm, "")
        .replace(/`[^`]*`/g, "code"),
    ),
  );
  expect(torn).toEqual([]);
});

test("a number of the specification is given once", () => {
  for (const name of texts) {
    const numbers = headings(read(`docs/spec/${name}.md`));
    expect(numbers, name).toEqual([...new Set(numbers)]);
  }
});

function read(file: string): string {
  return readFileSync(new URL(file, root), "utf8");
}

function headings(page: string): readonly string[] {
  return [...page.matchAll(/^#{2,4} ([A-D]?\d+(?:\.\d+)*|[A-C](?:\.\d+)*)\.? /gm)].map(([, section = ""]) => section);
}

function sectionsOf(page: string): ReadonlySet<string> {
  return new Set(headings(page));
}

/** Every section that a text cites; one without a number has an empty section. */
function citationsOf(content: string): readonly { readonly text: string; readonly section: string }[] {
  return [...content.matchAll(citation)].flatMap(([, text = "", list = ""]) =>
    list.split(/, | and | to /).map((one) => ({ text, section: one.trim().split(" ")[0] ?? "" })),
  );
}

/** Names of documents in the comments of a source that are no file of the repository. */
function strangeDocuments(content: string): readonly string[] {
  const comments = content.split("\n").flatMap((line) => /(?:^\s*(?:\/?\*+|#)|(?:^|\s)\/\/)\s(.*)$/.exec(line)?.[1] ?? []);
  const names = comments.flatMap((comment) => comment.match(/(?<![\w.*/@-])[\w./-]*[\w-]\.(?:md|txt)\b/g) ?? []);
  return names.filter((name) => !documents.some((document) => document === name || document.endsWith(`/${name}`)));
}
