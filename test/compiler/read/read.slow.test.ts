import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Document, get, plain } from "../../../compiler/1-read/document.ts";
import { findConfigs, readText } from "../../../compiler/1-read/files.ts";
import { decode, read, sizeLimit } from "../../../compiler/1-read/index.ts";
import { PathError } from "../../../compiler/1-read/path-error.ts";
import { collector } from "../../../compiler/diagnostics/collect.ts";
import { lineTable } from "../../../compiler/diagnostics/position.ts";
import { processorMs } from "../../laws/block/yardstick.ts";

/** The mistakes that reading reports, as `code line:column message`. */
function problems(text: string): string[] {
  const { report, diagnostics } = collector();
  read(text, "t.yml", report);
  const lines = lineTable(text);
  return diagnostics().map(({ code, message, at }) => {
    const { line, column } = lines.at(at.start);
    return `${code} ${line}:${column} ${message}`;
  });
}

function document(text: string): Document {
  const { report, diagnostics } = collector();
  const found = read(text, "t.yml", report);
  if (found === undefined) throw new Error(`not read: ${JSON.stringify(diagnostics())}`);
  return found;
}

const value = (text: string) => plain(document(text).root);

describe("values", () => {
  test("follow the YAML 1.2 core schema", () => {
    expect(value("a: yes\nb: 0o17\nc: 2020-01-02\nd: ~\ne: 1.5\nf: true\ng: 010\nh: .inf")).toEqual({
      a: "yes",
      b: 15,
      c: "2020-01-02",
      d: null,
      e: 1.5,
      f: true,
      g: 10,
      h: ".inf",
    });
  });

  test("have keys of text", () => {
    expect(value('200: a\ntrue: b\n"x y": c')).toEqual({ "200": "a", true: "b", "x y": "c" });
  });

  test("keep keys that JavaScript treats specially", () => {
    expect(JSON.stringify(value("__proto__: 1\nconstructor: 2"))).toBe('{"__proto__":1,"constructor":2}');
  });

  test("know the text they were written as", () => {
    const root = document('a: "x\\ty"\nb: |\n  one\n  two\n').root;
    expect(get(root, "a")).toMatchObject({ value: "x\ty", source: '"x\\ty"', block: false, span: { start: 3, end: 9 } });
    expect(get(root, "b")).toMatchObject({ value: "one\ntwo\n", block: true });
  });

  test.each([
    ["a plain scalar", "a: b\u0000c", 5],
    ["a quoted one", 'a: "b\u0002c"', 6],
    ["a comment", "a: 1 # \u001f", 8],
    ["a block", "a: |\n  b\u0018c", 4],
    ["a key", "a\u000bb: 1", 2],
  ])("%s holds no control character", (_, text, column) => {
    const [problem] = problems(text);
    const code = [...text].map((one) => one.charCodeAt(0)).find((one) => one < 9 || (one > 10 && one < 32)) ?? 0;
    const hex = code.toString(16).padStart(2, "0");
    expect(problem).toBe(
      `PW101 ${text.includes("|") ? 2 : 1}:${column} YAML syntax: the control character U+00${hex.toUpperCase()} is not allowed; in double quotes write \\x${hex}`,
    );
  });

  test("characters that are only escaped, tabs and controls above U+007F are text", () => {
    expect(value('a: "\\x00"\nb: "\u007f\t\u0085"\r\nc: 1')).toEqual({ a: "\0", b: "\u007f\t\u0085", c: 1 });
  });

  test.each(["9.9", "1.3", "2.0"])("a directive cannot name version %s", (version) => {
    expect(problems(`%YAML ${version}\n---\na: 1`)).toEqual([
      "PW101 1:7 YAML syntax: %YAML names a version that is not read here; write 1.2, or leave the line out",
    ]);
  });

  test("a file of very many lines is not parsed", () => {
    expect(problems(`a: 1${"\n".repeat(249_999)}`)).toEqual([]);
    expect(problems(`a: 1${"\n".repeat(4_000_000)}`)).toEqual(["PW108 250001:1 file is longer than the limit of 250,000 lines"]);
  });

  test.each([
    ["line feeds", "\n", 4_000_000],
    ["carriage returns", "\r", 4_000_000],
    ["both", "\r\n", 2_000_000],
  ])("4 million bytes of %s take less than two seconds of the processor", (_, text, count) => {
    const whole = text.repeat(count);
    expect(processorMs(() => problems(whole))).toBeLessThan(2_000);
  });

  test("a directive cannot bring YAML 1.1 back", () => {
    expect(value("%YAML 1.1\n---\na: yes")).toEqual({ a: "yes" });
  });
});

describe("aliases and merges", () => {
  test("are resolved, and a node keeps the place where it was written", () => {
    const text = "a: &x {k: 1}\nb: *x";
    expect(value(text)).toEqual({ a: { k: 1 }, b: { k: 1 } });
    expect(get(document(text).root, "b")?.span.start).toBe(text.indexOf("{"));
  });

  test("merge: own keys win, then the first map of a list", () => {
    expect(value("a: &a {k: 1, l: 1}\nb: &b {l: 2, m: 2}\nc:\n  n: 0\n  <<: [*a, *b]\n  k: 3")).toMatchObject({
      c: { n: 0, l: 1, m: 2, k: 3 },
    });
    expect(JSON.stringify(value('x: {"<<": 1}'))).toBe('{"x":{"<<":1}}');
  });

  test("the last anchor of a name before the alias counts", () => {
    expect(value("a: &x 1\nb: *x\nc: &x 2\nd: *x")).toEqual({ a: 1, b: 1, c: 2, d: 2 });
  });

  test("expand at most 100 times, nested ones counted", () => {
    const uses = (count: number): string => `a: &a 1\nb: [${Array(count).fill("*a").join(", ")}]`;
    expect(problems(uses(100))).toEqual([]);
    expect(problems(uses(101))).toEqual(["PW105 2:405 too many alias expansions"]);
    expect(problems("a: &a [x, x]\nb: &b [*a, *a, *a, *a, *a]\nc: &c [*b, *b, *b, *b, *b]\nd: &d [*c, *c, *c]\n")).toEqual([
      "PW105 4:16 too many alias expansions",
    ]);
  });

  test("cannot hold themselves", () => {
    expect(problems("a: &a [*a]")).toEqual(["PW101 1:8 YAML syntax: alias *a is inside its own anchor"]);
    expect(problems("a: *b")).toEqual([
      "PW101 1:4 YAML syntax: alias *b has no anchor before it; a text that begins with * stands in quotes",
    ]);
  });
});

describe("mistakes", () => {
  test.each([
    [
      "a value with a colon",
      "name: t\nfoo: bar: baz\n",
      "PW101 2:6 YAML syntax: a value on the line of its key cannot hold ': '; put the text in quotes",
    ],
    ["a tab", "a:\n\tb: 1\n", "PW101 2:1 YAML syntax: tabs cannot be used for indentation; write blanks"],
    ["an open quote, where it opens", 'a: "x\nb: 1\nc: 2\n', "PW101 1:4 YAML syntax: this quote is never closed"],
    ["an open bracket, where it opens", "a: 1\nb: [1, 2\nc: {d: 1\n", "PW101 2:4 YAML syntax: this [ is never closed"],
    ["an inner open bracket, which the outer one closes", "a: {x: [1, 2}\nb: 1\n", "PW101 1:8 YAML syntax: this [ is never closed"],
    ["an open bracket before a closed one", "a: [[1, 2]\nb: 1\n", "PW101 1:4 YAML syntax: this [ is never closed"],
    ["brackets in quotes and comments", "a: {x: ']', y: [1, 2}\nb: 1 # }\n", "PW101 1:16 YAML syntax: this [ is never closed"],
    [
      "a bracket whose end is in a comment",
      "a: {x: a|var::NAME #1|}\nb: 1\n",
      "PW101 1:4 YAML syntax: this { is never closed; ' #' begins a comment, so put the text around it in quotes",
    ],
    [
      "a value with a colon at its end",
      "db: sqlite::memory:\nb: 1\n",
      "PW101 1:5 YAML syntax: a value on the line of its key cannot end with ':'; put the text in quotes",
    ],
    ["an indentation between two levels", "a:\n    b: 1\n  c: 2\n", "PW101 3:1 YAML syntax: the indentation does not fit the lines above"],
    ["a key without colon", "a: 1\nfoo\nb: 2\n", "PW101 2:1 YAML syntax: expected 'key: value' on this line"],
    ["a reserved character", "a: @b\n", "PW101 1:4 YAML syntax: a text without quotes cannot begin with @; put it in quotes"],
    ["a key that is a map", "a: {{ b }}\n", "PW101 1:5 YAML syntax: a key must be a scalar; put text that starts with { or [ in quotes"],
    ["a key twice", "a: 1\nb: 2\n'a': 3\n", "PW102 3:1 duplicate key 'a' (first at 1:1)"],
    ["a number and its text as keys", '1: a\n"1": b\n', "PW102 2:1 duplicate key '1' (first at 1:1)"],
    ["a second document", "a: 1\n---\nb: 1\n---\nc: 1\n", "PW103 2:1 only one YAML document per file"],
    ["a second document after an end and a comment", "a: 1\n...\n# x\n---\nb: 1\n", "PW103 4:1 only one YAML document per file"],
    ["a tag", "a: !include x\n", "PW104 1:4 tag '!include' is not supported"],
    ["a large number", "a: 12345678901234567890\n", "PW106 1:4 number 12345678901234567890 is not exactly representable; quote it"],
  ])("%s", (_, text, expected) => {
    expect(problems(text)).toEqual([expected]);
  });

  test("each line has its own", () => {
    expect(problems("a: @b\nc: `d`\n")).toHaveLength(2);
  });

  test("the first of two equal keys stays, and the first of two documents", () => {
    expect(value("a: 1\na: 2")).toEqual({ a: 1 });
    expect(value("---\na: 1\n---\nb: 2")).toEqual({ a: 1 });
  });

  test("nesting is limited, and limited before it costs anything", () => {
    expect(problems(`a: ${"[".repeat(90)}${"]".repeat(90)}`)).toEqual([]);
    expect(problems(`a: ${"[".repeat(200_000)}`)).toEqual([expect.stringContaining("PW108 1:")]);
  });

  test("a file is limited", () => {
    expect(problems(`a: ${"x".repeat(sizeLimit)}`)).toEqual(["PW108 1:1 file is larger than the limit of 5 MiB"]);
  });
});

describe("bytes", () => {
  test("lose their byte order mark", () => {
    const { report } = collector();
    expect(decode(Buffer.from("\ufeffa: 1"), "t.yml", report)).toEqual({ text: "a: 1", valid: true });
  });

  test("must be UTF-8", () => {
    const { report, diagnostics } = collector();
    expect(decode(Buffer.from([0x61, 0x3a, 0x20, 0xe9]), "t.yml", report).valid).toBe(false);
    expect(diagnostics()).toMatchObject([{ code: "PW107", at: { start: 3 } }]);
  });
});

test.each([
  ["with a mark, little end first", [0xff, 0xfe, 0x61, 0, 0x3a, 0]],
  ["with a mark, big end first", [0xfe, 0xff, 0, 0x61, 0, 0x3a]],
  ["without a mark, little end first", [0x61, 0, 0x3a, 0]],
  ["without a mark, big end first", [0, 0x61, 0, 0x3a]],
])("UTF-16 %s is told from other bytes, and shown", (_, bytes) => {
  const { report, diagnostics } = collector();
  expect(decode(Buffer.from(bytes), "t.yml", report)).toEqual({ text: "a:", valid: false });
  expect(diagnostics()).toMatchObject([{ code: "PW107", hint: "it looks like UTF-16; save the file as UTF-8" }]);
});

describe("files", () => {
  let folder = "";
  const write = (name: string): void => {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(join(folder, name), "name: x");
  };
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "pipewright-read-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const found = (...paths: string[]): string[] => findConfigs(paths, folder).map(({ file }) => file);

  test("are found in folders, sorted, without what is no configuration", () => {
    for (const name of [
      "b.yml",
      "a/z.yaml",
      "a.yml",
      "modules/m.yml",
      "a/node_modules/n.yml",
      "vars/production.yaml",
      ".git/x.yml",
      "generated/g.yml",
      "readme.md",
    ]) {
      write(name);
    }
    expect(found(".")).toEqual(["a.yml", "a/z.yaml", "b.yml"]);
    expect(found("b.yml", "a", ".")).toEqual(["a.yml", "a/z.yaml", "b.yml"]);
    expect(found("modules")).toEqual(["modules/m.yml"]);
  });

  test("must exist", () => {
    expect(() => found("nowhere")).toThrow(PathError);
  });

  test("links stay inside the folder", () => {
    write("in/a.yml");
    write("out/b.yml");
    symlinkSync(join(folder, "out"), join(folder, "in", "folder"));
    symlinkSync(join(folder, "in"), join(folder, "in", "loop"));
    expect(found("in")).toEqual(["in/a.yml"]);
    symlinkSync(join(folder, "out", "b.yml"), join(folder, "in", "b.yml"));
    expect(() => found("in")).toThrow("leaves the folder");
  });

  test("a file and links to it are one configuration, by the name that comes first", () => {
    write("in/deep/b.yml");
    symlinkSync(join(folder, "in", "deep", "b.yml"), join(folder, "in", "a.yml"));
    symlinkSync(join(folder, "in", "deep", "b.yml"), join(folder, "in", "z.yml"));
    symlinkSync(join(folder, "in", "deep"), join(folder, "in", "zone"));
    expect(found("in")).toEqual(["in/a.yml"]);
  });

  test("are refused by their size before they are read", () => {
    writeFileSync(join(folder, "big.yml"), Buffer.alloc(sizeLimit + 1, 0x20));
    const { report, diagnostics } = collector();
    expect(readText({ file: "big.yml", path: join(folder, "big.yml") }, report)).toBeUndefined();
    expect(diagnostics()).toMatchObject([{ code: "PW108" }]);
  });
});
