import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { root } from "../harness/folders.ts";
import { sourceFiles } from "../harness/rules/import-list.ts";

// Law `comments`: a comment begins with the thing that it is about, and with a capital. "What …", "It …", "The same …", "Likewise …" and
// "Of …" at its beginning stand for a noun that the reader has to find first, often in another file. "What …", "Whatever …", "Who …" and
// "Those …" do so in later sentences, too. A sentence with more than two relative clauses is two sentences.

const files = sourceFiles("{bin,compiler,runtime,scripts,templates,test}/**/*.{ts,mjs}").filter((file) => !file.endsWith("/expected.ts"));

interface Comment {
  /** The number of its first line, from 1. */
  readonly line: number;
  readonly text: string;
}

/** The comments that have lines of their own; lines that follow each other are one comment. */
function commentsOf(source: string): readonly Comment[] {
  const comments: Comment[] = [];
  let isOpen = false;
  for (const [i, line] of source.split("\n").entries()) {
    const [, mark = "", text = ""] = /^\s*(\/\*\*|\*\/?|\/\/) ?(.*)/.exec(line) ?? [];
    const last = comments.at(-1);
    const goesOn = isOpen && mark !== "/**" && last !== undefined;
    if (goesOn) comments[comments.length - 1] = { ...last, text: `${last.text} ${text}`.trim() };
    else if (mark === "/**" || mark === "//") comments.push({ line: i + 1, text });
    isOpen = mark === "//" || mark === "/**" || (mark === "*" && isOpen);
  }
  return comments.map(({ line, text }) => ({ line, text: text.replace(/ ?\*\/$/, "") }));
}

const opensWithoutNoun = ({ text }: Comment): boolean =>
  /^(?:What|Those|The same|Of|That which|Whom|Whose|Who|Whoever|Whatever|It|They|Which|Such|Likewise|So many|There when|One that)[ ,]/i.test(
    text,
  );

const goesOnWithoutNoun = ({ text }: Comment): boolean => /[.:;!?] (?:What|Whatever|Who|Whoever|Those)[ ,]/.test(text);

/** True for a sentence that begins with a small letter. Words that may be names of programs or packages do not count. */
const beginsSmall = ({ text }: Comment): boolean =>
  /^(?:an?|the|this|that|these|no|only|each|every|all|if|when|where|as|in|on|at|by|for|from|to|with|without|is|and|or|but|so|not) /.test(
    text,
  );

/** True when one sentence has more than two relative clauses; "so that" begins no relative clause. */
const isNested = ({ text }: Comment): boolean =>
  text.split(/[.:;] /).some((sentence) => [...sentence.matchAll(/(?<!\bso )\b(?:that|which|who|whom|whose)\b/g)].length > 2);

function places(isWrong: (comment: Comment) => boolean): readonly string[] {
  return files.flatMap((file) =>
    commentsOf(readFileSync(new URL(file, root), "utf8"))
      .filter(isWrong)
      .map(({ line }) => `${file}:${line}`),
  );
}

test("no comment opens with a word that stands for its noun", () => {
  expect(files.length).toBeGreaterThan(500);
  expect(places(opensWithoutNoun)).toEqual([]);
});

test("no later sentence of a comment opens with such a word", () => {
  expect(places(goesOnWithoutNoun)).toEqual([]);
});

test("a comment begins with a capital", () => {
  expect(places(beginsSmall)).toEqual([]);
});

test("no sentence has more than two relative clauses", () => {
  expect(places(isNested)).toEqual([]);
});

test("no line of a comment is longer than 140 characters", () => {
  const long = files.flatMap((file) =>
    readFileSync(new URL(file, root), "utf8")
      .split("\n")
      .flatMap((line, i) => (line.length > 140 && /^\s*(?:\/\/|\/?\*)/.test(line) ? [`${file}:${i + 1}`] : [])),
  );
  expect(long).toEqual([]);
});

/** Declarations of constants whose name is a participle, which says nothing about the value. */
const participles = /\b(?:const|let) (?:found|given|known|written|wanted|told|asked|made|kept|named|said)\b/;

test("constants are named by a noun", () => {
  const named = files
    .filter((file) => /^(?:bin|compiler|runtime|scripts)\//.test(file))
    .flatMap((file) =>
      readFileSync(new URL(file, root), "utf8")
        .split("\n")
        .flatMap((line, i) => (participles.test(line) ? [`${file}:${i + 1}`] : [])),
    );
  expect(named).toEqual([]);
});

test("such a comment is found", () => {
  const source =
    "/** What it is. */\n/**\n * The same again.\n */\n// Those here.\n// The text:\n// What goes on.\n/** A thing. */\ncode\n// It runs.\ncode\n// likewise, small\ncode\n// the end\ncode\n// jq ends.";
  expect(commentsOf(source).filter(opensWithoutNoun)).toEqual([
    { line: 1, text: "What it is." },
    { line: 2, text: "The same again." },
    { line: 5, text: "Those here. The text: What goes on." },
    { line: 10, text: "It runs." },
    { line: 12, text: "likewise, small" },
  ]);
  expect(commentsOf(source).filter(goesOnWithoutNoun)).toEqual([{ line: 5, text: "Those here. The text: What goes on." }]);
  expect(commentsOf(source).filter(beginsSmall)).toEqual([{ line: 14, text: "the end" }]);
});
