import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { root } from "../harness/folders.ts";
import { sourceFiles } from "../harness/rules/import-list.ts";

// Law `comments`: a comment begins with the thing that it is about. "What …", "Those …", "The same …" and "Of …" at its beginning stand for
// a noun that the reader has to find first, often in another file.

const files = sourceFiles("{bin,compiler,runtime,scripts,templates,test}/**/*.{ts,mjs}").filter((file) => !file.endsWith("/expected.ts"));

/** First lines of comments, with their numbers, that begin without a noun. */
const begunWithout = (source: string): readonly number[] =>
  source.split("\n").flatMap((line, i, lines) => {
    const [, comment] =
      /^\s*(?:\/\*\* |\/\/ )(.*)/.exec(line) ?? (/^\s*\/\*\*$/.test(lines[i - 1] ?? "") ? (/^\s*\* (.*)/.exec(line) ?? []) : []);
    const goesOn = /^\s*\/\/ /.test(line) && /^\s*\/\/ /.test(lines[i - 1] ?? "");
    return comment !== undefined && !goesOn && /^(?:What|Those|The same|Of|That which|Whom|Whose) /.test(comment) ? [i + 1] : [];
  });

test("no comment opens with a word that stands for its noun", () => {
  expect(files.length).toBeGreaterThan(500);
  const found = files.flatMap((file) => begunWithout(readFileSync(new URL(file, root), "utf8")).map((line) => `${file}:${line}`));
  expect(found).toEqual([]);
});

test("no line of a comment is longer than 140 characters", () => {
  const long = files.flatMap((file) =>
    readFileSync(new URL(file, root), "utf8")
      .split("\n")
      .flatMap((line, i) => (line.length > 140 && /^\s*(?:\/\/|\/?\*)/.test(line) ? [`${file}:${i + 1}`] : [])),
  );
  expect(long).toEqual([]);
});

test("such a comment is found", () => {
  expect(
    begunWithout("/** What it is. */\n/**\n * The same again.\n */\n// Those here.\n// The text:\n// What goes on.\n/** A thing. */"),
  ).toEqual([1, 3, 5]);
});
