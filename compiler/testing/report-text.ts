import { diffLines } from "diff";
import { stringify } from "yaml";
import { isObject, type Json } from "#runtime/value/json.ts";
import { visible, visibleLine } from "#runtime/value/visible.ts";
import { codeFrame } from "../diagnostics/frame.ts";
import type { Sources } from "../diagnostics/position.ts";
import type { Mismatch } from "./judge.ts";
import { type CaseResult, tally } from "./run-suite.ts";

/** The colours of a report. */
export type Paint = Readonly<Record<"good" | "bad" | "dim" | "bold", (text: string) => string>>;

const same = (text: string): string => text;
const painted =
  (on: number, off: number) =>
  (text: string): string =>
    `\u001b[${on}m${text}\u001b[${off}m`;

export const paint = (isColored: boolean): Paint =>
  isColored
    ? { good: painted(32, 39), bad: painted(31, 39), dim: painted(2, 22), bold: painted(1, 22) }
    : { good: same, bad: same, dim: same, bold: same };

/** The results as text: a line for each test, the mistakes of failed tests, and a last line with the totals. */
export function textReport(results: readonly CaseResult[], sources: Sources, p: Paint, ms: number): string {
  const files = [...Map.groupBy(results, ({ case: { file } }) => file)];
  const lists = files.map(([file, list]) => `${p.bold(visibleLine(file))}\n${list.map((each) => line(each, p)).join("")}\n`);
  const failures = results.filter(({ outcome }) => outcome === "failed").map((each) => failureText(each, sources, p));
  return `${lists.join("")}${failures.join("")}${summary(results, p, ms)}\n`;
}

const marks = { passed: "✓", failed: "✗", skipped: "-" } as const;

function line({ case: { name }, outcome, reason, ms }: CaseResult, p: Paint): string {
  const color = { passed: p.good, failed: p.bad, skipped: p.dim }[outcome];
  const slow = ms >= 100 ? p.dim(` (${Math.round(ms)} ms)`) : "";
  const why = reason === undefined ? "" : p.dim(` (${visibleLine(reason)})`);
  return `  ${color(marks[outcome])} ${visibleLine(name)}${slow}${why}\n`;
}

/** The last line: `3 tests failed, 12 passed, 1 skipped in 0.4 s`. */
function summary(results: readonly CaseResult[], p: Paint, ms: number): string {
  const { passed, failed, skipped } = tally(results);
  const parts = [
    ...(failed === 0 ? [] : [p.bad(`${failed} failed`)]),
    ...(passed === 0 && failed > 0 ? [] : [p.good(`${passed} passed`)]),
    ...(skipped === 0 ? [] : [p.dim(`${skipped} skipped`)]),
  ];
  return `${parts.join(", ")} in ${(ms / 1000).toFixed(1)} s`;
}

/** A failed test: each of its mistakes with its place and diff, then the work of its actions. */
export function failureText(result: CaseResult, sources: Sources, p: Paint): string {
  const { case: each, mismatches } = result;
  const title = `${p.bad(marks.failed)} ${p.bold(visibleLine(each.name))} ${p.dim(`(${visibleLine(each.target.name)})`)}\n`;
  return `${title}\n${mismatches.map((one) => mismatchText(one, sources, p)).join("\n")}${traceText(result, p)}\n`;
}

function mismatchText(found: Mismatch, sources: Sources, p: Paint): string {
  const { at, message } = found;
  const { line, column } = sources.lines(at.file).at(at.start);
  const frame = codeFrame({ code: "", severity: "error", message, at }, sources);
  const head = `${p.bold(`${visibleLine(at.file)}:${line}:${column}:`)} ${visibleLine(message)}`;
  const diff = diffText(found, p);
  const note = found.note === undefined ? "" : `  ${visible(found.note.trimEnd()).replaceAll("\n", "\n    ")}`;
  return `${[head, frame, diff, note].filter((part) => part !== "").join("\n")}\n`;
}

/** The most lines of a diff, and the number of equal lines around each change. */
const mostLines = 60;
const around = 2;

/** The two values line by line, with `-` for expected and `+` for actual lines; long equal parts are left out. */
export function diffText({ expected, actual }: Pick<Mismatch, "expected" | "actual">, p: Paint): string {
  if (expected === undefined || actual === undefined) return "";
  const parts = diffLines(`${lay(expected, actual)}\n`, `${lay(actual)}\n`);
  const lines = parts.flatMap(({ value, added, removed }, i) => {
    const texts = value.replace(/\n$/, "").split("\n").map(visible);
    if (added) return texts.map((text) => p.good(`  + ${text}`));
    if (removed) return texts.map((text) => p.bad(`  - ${text}`));
    return alike(texts, i > 0, i < parts.length - 1).map((text) => p.dim(`    ${text}`));
  });
  const shown = lines.slice(0, mostLines);
  return [...shown, ...(lines.length > shown.length ? [p.dim(`    … ${lines.length - shown.length} more lines`)] : [])].join("\n");
}

function alike(lines: readonly string[], isAfter: boolean, isBefore: boolean): readonly string[] {
  const head = isAfter ? around : 0;
  const tail = isBefore ? around : 0;
  if (lines.length <= head + tail + 1) return lines;
  return [...lines.slice(0, head), "…", ...lines.slice(lines.length - tail)];
}

/** A value as YAML, as in the test. Members are in the order of the other value, so that only differences are shown. */
const lay = (value: Json, like?: Json): string =>
  typeof value === "string" ? value : stringify(inOrderOf(value, like), { lineWidth: 0 }).trimEnd();

function inOrderOf(value: Json, like: Json | undefined): Json {
  if (Array.isArray(value)) return value.map((each, i) => inOrderOf(each, Array.isArray(like) ? like[i] : undefined));
  if (!isObject(value) || like === undefined || !isObject(like)) return value;
  const shared = Object.keys(like).filter((key) => Object.hasOwn(value, key));
  const keys = [...shared, ...Object.keys(value).filter((key) => !Object.hasOwn(like, key))];
  return Object.fromEntries(keys.map((key) => [key, inOrderOf(value[key] ?? null, like[key])]));
}

function traceText({ acts }: CaseResult, p: Paint): string {
  if (acts.length === 0) return `  ${p.dim("no action ran")}\n`;
  const width = Math.max(...acts.map(({ name }) => name.length));
  const lines = acts.map(({ name, state, error, at = "" }) => {
    const color = { succeeded: p.good, failed: p.bad, skipped: p.dim }[state] ?? same;
    const why = error === undefined ? "" : `: ${visibleLine(error).slice(0, 300)}`;
    return `    ${visibleLine(name.padEnd(width))}  ${color(state)}${why}${at === "" ? "" : p.dim(`  ${visibleLine(at)}`)}\n`;
  });
  return `  ${p.dim("actions:")}\n${lines.join("")}`;
}
