import { expect, test } from "vitest";
import { allCodes } from "../../../compiler/diagnostics/codes/index.ts";
import { collector } from "../../../compiler/diagnostics/collect.ts";
import type { Diagnostic } from "../../../compiler/diagnostics/diagnostic.ts";
import { renderFrame, renderFrames } from "../../../compiler/diagnostics/frame.ts";
import { githubReport } from "../../../compiler/diagnostics/github.ts";
import { allBut, hide } from "../../../compiler/diagnostics/hide.ts";
import { jsonReport } from "../../../compiler/diagnostics/json.ts";
import { lineTable, sources } from "../../../compiler/diagnostics/position.ts";
import { sarifReport } from "../../../compiler/diagnostics/sarif.ts";
import { planTexts } from "../../../compiler/pipeline.ts";

const text = "name: flags\ninterfaces:\n  check:\n    input: a|Bdy::name|\n";
const at = { file: "flags.yml", start: text.indexOf("a|Bdy"), end: text.indexOf("a|Bdy") + 12 };
const diagnostic: Diagnostic = {
  code: "PW301",
  severity: "error",
  message: "unknown action or root 'Bdy'",
  hint: "did you mean 'Body'?",
  at,
};
const known = sources(new Map([["flags.yml", text]]));

test("a frame shows the place, two lines above it and the hint", () => {
  expect(renderFrame(diagnostic, known)).toBe(
    [
      "flags.yml:4:12: error PW301: unknown action or root 'Bdy'",
      "   2 | interfaces:",
      "   3 |   check:",
      ">  4 |     input: a|Bdy::name|",
      "     |            ^^^^^^^^^^^^",
      "  hint: did you mean 'Body'?",
      "",
    ].join("\n"),
  );
});

test("related places follow the frame", () => {
  const related = [{ at: { file: "flags.yml", start: 0, end: 4 }, message: "first here" }];
  expect(renderFrame({ ...diagnostic, related }, known)).toContain("\n  note: flags.yml:1:1: first here\n");
});

test("colour only adds escapes", () => {
  const colored = renderFrame(diagnostic, known, { color: true });
  expect(colored).toContain("\u001b[31merror PW301\u001b[39m");
  const [first = "", ...pieces] = colored.split("\u001b");
  expect(first + pieces.map((piece) => piece.replace(/^\[\d+m/, "")).join("")).toBe(renderFrame(diagnostic, known));
});

test("text of the file cannot reach the terminal as control characters, and carets still fit", () => {
  const hostile = "a: \u001b[2J\u202Ex\tvalue\n";
  const place = { file: "h.yml", start: hostile.indexOf("value"), end: hostile.indexOf("value") + 5 };
  const shown = renderFrame({ ...diagnostic, message: "bad \u0007", at: place }, sources(new Map([["h.yml", hostile]])));
  expect(shown).toContain(">  1 | a: \\u001b[2J\\u202ex  value\n");
  expect(shown).toContain(`     | ${" ".repeat("a: \\u001b[2J\\u202ex  ".length)}^^^^^\n`);
  expect(shown).toContain("bad \\u0007");
});

test("a long line is cut around the place", () => {
  const long = `${"x".repeat(500)}HERE${"y".repeat(500)}`;
  const shown = renderFrame({ ...diagnostic, at: { file: "l.yml", start: 500, end: 504 } }, sources(new Map([["l.yml", long]])));
  const [, line = "", carets = ""] = shown.split("\n");
  expect(line.length).toBeLessThan(150);
  expect(line.indexOf("HERE")).toBe(carets.indexOf("^"));
  expect(carets.trimEnd().endsWith("^^^^")).toBe(true);
});

test.each([30, 40, 80])("no line of a frame is longer than a terminal of %i columns", (columns) => {
  for (const before of [0, 20, 300]) {
    const long = `${"w".repeat(99)}\n${"x".repeat(before)}HERE${"y".repeat(500)}`;
    const start = 100 + before;
    const place = { file: "l.yml", start, end: start + 4 };
    const shown = renderFrame({ ...diagnostic, at: place }, sources(new Map([["l.yml", long]])), { columns });
    const [, above = "", line = "", carets = ""] = shown.split("\n");
    expect(Math.max(above.length, line.length, carets.length)).toBeLessThanOrEqual(Math.max(columns, 39));
    expect(line.indexOf("HERE")).toBe(carets.indexOf("^"));
  }
});

test("an empty span, a span of many lines and a place beyond the text have a caret", () => {
  for (const [start, end] of [
    [5, 5],
    [0, text.length],
    [text.length, text.length],
    [9999, 10000],
  ] as const) {
    expect(renderFrame({ ...diagnostic, at: { file: "flags.yml", start, end } }, known)).toContain("^");
  }
});

test("frames end with a count", () => {
  expect(renderFrames([diagnostic, { ...diagnostic, severity: "warning" }], known).endsWith("\n\n1 error, 1 warning\n")).toBe(true);
  expect(renderFrames([], known)).toBe("");
});

test.each(["\n", "\r\n", "\r"])("lines end with %j", (end) => {
  const table = lineTable(["one", "two", "", "four"].join(end));
  expect(table.count).toBe(4);
  expect(table.line(2)).toBe("two");
  expect(table.at(3 + end.length)).toEqual({ line: 2, column: 1 });
  expect(table.at(99)).toEqual({ line: 4, column: 5 });
});

test("the collector keeps one of each finding, sorts, and gives a fix for a replacement", () => {
  const { report, diagnostics, hasErrors } = collector();
  report({ code: "PW120", severity: "warning", message: "old", instead: "new" }, { file: "b.yml", start: 9, end: 12 });
  report({ code: "PW114", severity: "warning", message: "x" }, { file: "b.yml", start: 2, end: 3 });
  report({ code: "PW114", severity: "warning", message: "x" }, { file: "b.yml", start: 2, end: 3 });
  report({ code: "PW101", severity: "warning", message: "y" }, { file: "a.yml", start: 50, end: 51 });
  expect(hasErrors()).toBe(false);
  expect(diagnostics().map(({ code }) => code)).toEqual(["PW101", "PW114", "PW120"]);
  expect(diagnostics()[2]?.fix).toEqual({ title: "write new", at: { file: "b.yml", start: 9, end: 12 }, text: "new" });
});

test("a file shows at most 100, and never hides an error behind warnings", () => {
  const { report, diagnostics } = collector();
  for (let i = 0; i < 150; i++) report({ code: "PW120", severity: "warning", message: "w" }, { file: "a.yml", start: i, end: i });
  report({ code: "PW114", severity: "error", message: "e" }, { file: "a.yml", start: 500, end: 501 });
  expect(diagnostics()).toHaveLength(100);
  expect(diagnostics().at(-1)?.code).toBe("PW114");
});

test("the JSON report has the documented shape", () => {
  const fix = { title: "write Body", at, text: "a|Body::name|" };
  expect(jsonReport([{ ...diagnostic, fix }], known)).toEqual({
    diagnostics: [
      {
        code: "PW301",
        severity: "error",
        message: "unknown action or root 'Bdy'",
        file: "flags.yml",
        line: 4,
        column: 12,
        endLine: 4,
        endColumn: 24,
        hint: "did you mean 'Body'?",
        fix: { title: "write Body", text: "a|Body::name|" },
      },
    ],
    errors: 1,
    warnings: 0,
  });
});

test("workflow commands escape what would end them", () => {
  const odd = { ...diagnostic, message: "50% ::\nx", at: { ...at, file: "a,b:c.yml" } };
  expect(githubReport([odd], known)).toMatch(/^::error file=a%2Cb%3Ac\.yml,line=1,.*title=PW301::50%25 ::%0Ax%0Adid you mean/);
});

test("the SARIF log names its rules and places", () => {
  const log = JSON.parse(JSON.stringify(sarifReport([diagnostic], known, allCodes)));
  expect(log.version).toBe("2.1.0");
  expect(log.runs[0].tool.driver.rules.map((rule: { id: string }) => rule.id)).toEqual(["PW301"]);
  expect(log.runs[0].results[0].locations[0].physicalLocation).toEqual({
    artifactLocation: { uri: "flags.yml" },
    region: { startLine: 4, startColumn: 12, endLine: 4, endColumn: 24 },
  });
});

test("every code has a page with a wrong and a right example", () => {
  expect(allCodes.length).toBeGreaterThan(80);
  for (const { code, page } of allCodes) {
    expect(code).toMatch(/^PW\d{3}$/);
    expect(page, code).toMatch(/^[A-Z`].*\n\nWrong:\n\n```yaml\n[\s\S]+\n```\n\nRight:\n\n```yaml\n[\s\S]+\n```\n$/);
  }
});

test("what is hidden keeps its place", () => {
  expect(
    hide("a: secret text\r\nb: 1\n", [
      { start: 8, end: 14 },
      { start: 3, end: 10 },
    ]),
  ).toBe("a: ****** ****\r\nb: 1\n");
  expect(hide("abc", [])).toBe("abc");
  expect(hide("ab: c # d", allBut([{ start: 0, end: 3 }], 9))).toBe("ab: * * *");
});

test("a frame shows nothing of a file of variables but names, and no literal secret of a configuration", () => {
  const vars = [{ file: "vars/production.yaml", text: "PLAIN: hunter21\nENCRYPTED_A: hunter22 # was hunter23\n" }];
  const broken = [{ file: "vars/staging.yaml", text: "A: hunter24\nB: [hunter25\nC: hunter26\n" }];
  const config = [
    {
      file: "t.yaml",
      text: "name: t\nglobal:\n  secrets:\n    s: { kind: local, data: hunter27 }\n    t: { kind: hunter }\ninterfaces: {}\n",
    },
  ];
  const said = [planTexts(config, { variables: vars }), planTexts([], { variables: broken })].map(({ diagnostics, sources: texts }) =>
    renderFrames(diagnostics, texts),
  );
  expect(said[0]).toContain("PLAIN: ********\n");
  expect(said[0]).toContain("ENCRYPTED_A: ******** * *** ********\n");
  expect(said[0]).toContain("data: ******** }\n>  5 |     t: { kind: hunter }");
  expect(said[1]).toContain("vars/staging.yaml:2:4: error PW101");
  expect(said.join("")).not.toMatch(/hunter2/);
});
