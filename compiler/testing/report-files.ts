import type { Json } from "#runtime/value/json.ts";
import { visible } from "#runtime/value/visible.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { Sources } from "../diagnostics/position.ts";
import { present } from "../present.ts";
import type { Mismatch } from "./judge.ts";
import { diffText, paint } from "./report-text.ts";
import { type CaseResult, tally } from "./run-suite.ts";

/** The results as one JSON document for programs. */
export function jsonReport(results: readonly CaseResult[], sources: Sources, ms: number): string {
  const tests = results.map(({ case: each, outcome, reason, mismatches, acts, ms: took }) => ({
    file: each.file,
    name: each.name,
    config: each.config.file,
    interface: each.target.name,
    outcome,
    ms: Math.round(took),
    ...present({ reason }),
    ...(mismatches.length === 0 ? {} : { failures: mismatches.map((one) => placed(one, sources)) }),
    ...(outcome === "failed" ? { actions: acts.map(({ data: _, ...act }) => act) } : {}),
  }));
  return `${JSON.stringify({ tests, ...tally(results), ms: Math.round(ms) }, null, 2)}\n`;
}

function placed({ at, message, expected, actual, note }: Mismatch, sources: Sources): Record<string, Json> {
  const { line, column } = sources.lines(at.file).at(at.start);
  return {
    file: at.file,
    line,
    column,
    message,
    ...(expected === undefined || actual === undefined ? {} : { expected, actual }),
    ...present({ note }),
  };
}

/** The results in the format of JUnit, which every CI reads, with a suite for each file. */
export function junitReport(results: readonly CaseResult[], sources: Sources, ms: number): string {
  const files = [...Map.groupBy(results, ({ case: { file } }) => file)];
  const suites = files.flatMap(([file, list]) => [
    `  <testsuite${attributes({ name: file, ...counts(list), time: seconds(list.reduce((sum, each) => sum + each.ms, 0)) })}>`,
    ...list.flatMap((each) => caseLines(each, sources)),
    "  </testsuite>",
  ]);
  return junitDocument({ ...counts(results), time: seconds(ms) }, suites);
}

/** The mistakes of a project that cannot be tested, as erroneous tests in the format of JUnit, with a suite for each file. */
export function junitErrors(errors: readonly Diagnostic[], sources: Sources): string {
  const totals = (list: readonly Diagnostic[]): Record<string, string> => {
    const count = String(list.length);
    return { tests: count, failures: "0", errors: count, skipped: "0", time: seconds(0) };
  };
  const suites = [...Map.groupBy(errors, ({ at: { file } }) => file)].flatMap(([file, list]) => [
    `  <testsuite${attributes({ name: file, ...totals(list) })}>`,
    ...list.flatMap((each) => errorLines(each, sources)),
    "  </testsuite>",
  ]);
  return junitDocument(totals(errors), suites);
}

function errorLines({ code, message, hint, at: { file, start } }: Diagnostic, sources: Sources): string[] {
  const { line, column } = sources.lines(file).at(start);
  const head = { name: `${code}: ${message}`, classname: file, file, line: String(line), time: seconds(0) };
  const text = `${file}:${line}:${column}: error ${code}: ${message}${hint === undefined ? "" : `\nhint: ${hint}`}`;
  return [
    `    <testcase${attributes(head)}>`,
    `      <error${attributes({ message, type: code })}>${escaped(text)}</error>`,
    "    </testcase>",
  ];
}

function junitDocument(totals: Readonly<Record<string, string>>, suites: readonly string[]): string {
  const head = `<testsuites${attributes({ name: "pipewright", ...totals })}>`;
  return ['<?xml version="1.0" encoding="UTF-8"?>', head, ...suites, "</testsuites>", ""].join("\n");
}

function counts(results: readonly CaseResult[]): Record<string, string> {
  const { failed, skipped } = tally(results);
  return { tests: String(results.length), failures: String(failed), errors: "0", skipped: String(skipped) };
}

function caseLines({ case: { name, target, at }, outcome, reason = "", mismatches, ms }: CaseResult, sources: Sources): string[] {
  const { line } = sources.lines(at.file).at(at.start);
  const head = `    <testcase${attributes({ name, classname: target.name, file: at.file, line: String(line), time: seconds(ms) })}`;
  if (outcome === "passed") return [`${head}/>`];
  if (outcome === "skipped") return [`${head}>`, `      <skipped${attributes({ message: reason })}/>`, "    </testcase>"];
  const failures = mismatches.map((found) => {
    const place = sources.lines(found.at.file).at(found.at.start);
    const text = `${found.at.file}:${place.line}:${place.column}: ${found.message}\n${diffText(found, paint(false))}${found.note === undefined ? "" : `\n${found.note}`}`;
    return `      <failure${attributes({ message: found.message })}>${escaped(text)}</failure>`;
  });
  return [`${head}>`, ...failures, "    </testcase>"];
}

const seconds = (ms: number): string => (ms / 1000).toFixed(3);

const attributes = (values: Readonly<Record<string, string>>): string =>
  Object.entries(values)
    .map(([name, value]) => ` ${name}="${escaped(value)}"`)
    .join("");

/** A text for XML. Characters that XML cannot hold or a reader cannot see become JSON escapes. */
const escaped = (text: string): string =>
  visible(text)
    .replace(/[\uD800-\uDFFF\uFFFE\uFFFF]/gu, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .replace(/[&<>"]/g, (found) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[found] ?? "&quot;");
