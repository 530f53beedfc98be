import { actions } from "#generated/features.ts";
import { compile } from "#runtime/languages/regex.ts";
import type { Expr } from "#runtime/plan/index.ts";
import { type Entry, entriesOf, entry, flag, get, items, type Node, plain, textOf } from "../../1-read/document.ts";
import type { Marker } from "../../1-read/markers/marker.ts";
import { hasMarker } from "../../1-read/markers/markers.ts";
import { sources as codes } from "../../diagnostics/codes/actions.ts";
import { shape } from "../../diagnostics/codes/file.ts";
import type { Finding, Report } from "../../diagnostics/diagnostic.ts";
import { isConfigControlled } from "../lower/config-controlled.ts";
import { lowerMarker } from "../lower/reads.ts";
import { readScalar, reportAt, type Scalar } from "../lower/scalar.ts";
import { lower } from "../lower/values.ts";
import { configRoots, type Lowering, readingOnly } from "../markers/scope.ts";
import { type Nested, nestedAmong, nestedIn } from "../shell/nested.ts";
import { optionsAmong, optionsIn } from "../shell/option-words.ts";
import { checkStage } from "../stage.ts";
import type { Planner } from "./planner.ts";

/** The field that permits data in code of another interpreter. The field has an effect only when compiling. */
const allowance = "allow_nested_shell";

/** Shells in which `"${name}"`, as we print it, has its usual meaning. */
const shells = /(?:^|\/)(?:sh|ash|dash|bash|ksh|mksh|zsh|busybox)$/;

export const planner: Planner = { plan: (block, { action }, cx) => planCommand(block, action, cx) };

/** A `command` block (spec/language 5.2). A field of the block wins over the same field beside the block. */
function planCommand(block: Node, action: Node, cx: Lowering): Expr {
  const own = new Set(entriesOf(block).map(({ key }) => key));
  const beside = entriesOf(action).filter(({ key }) => actions.command.beside?.includes(key) && !own.has(key));
  for (const key of actions.command.beside ?? []) checkOneValue(key, entry(action, key), entry(block, key), cx.report);
  const mayNest = flag(block, allowance);
  const entries = [...entriesOf(block).filter(({ key }) => key !== allowance || !mayNest), ...beside];
  if (!mayNest && isForShell(get(block, "shell"))) checkNested(get(block, "run"), cx);
  checkShell(entry(block, "shell"), get(block, "run"), cx);
  checkExit(
    entries.find(({ key }) => key === "expect_exit"),
    cx,
  );
  for (const parse of [get(block, "parse"), get(block, "parse_stderr")]) checkPatterns(parse, cx);
  return lower({ kind: "map", span: block.span, entries }, actions.command.schema, cx, { field: "command", required: true });
}

/** False for a script in another language, in which no markers are allowed. */
function isForShell(shell: Node | undefined): boolean {
  const text = textOf(shell);
  return text === undefined || hasMarker(text) || shells.test(text.trim().split(/\s+/)[0] ?? "");
}

interface MarkerPlace {
  readonly marker: Marker;
  readonly scalar: Scalar;
}

/**
 * Reports data in code of another interpreter, which reads the data as a part of its program even when the shell quotes them. It also
 * reports data that a program may read as one of its options.
 */
function checkNested(run: Node | undefined, cx: Lowering): void {
  const places: MarkerPlace[] = [];
  const text = (node: Node): string => {
    if (node.kind !== "scalar") return "";
    const scalar = readScalar(node, () => undefined, { code: true });
    return scalar.template.parts
      .map((part) => {
        if (part.kind === "text") return part.text.replaceAll("\0", "");
        places.push({ marker: part, scalar });
        return "\0";
      })
      .join("");
  };
  const { nested, options } = valuesIn(run, places, text);
  const report = (found: readonly Nested[], diagnostic: (place: string) => Finding): void => {
    for (const match of found.filter(firstOfHole)) {
      const place = places[match.hole];
      if (place !== undefined && !isTrusted(place, cx)) reportAt(diagnostic(match.place), place.marker, place.scalar, cx.report);
    }
  };
  report(nested, codes.nestedShell);
  const isNested = new Set(nested.map(({ hole }) => hole));
  report(
    options.filter(({ hole }) => !isNested.has(hole)),
    codes.optionByData,
  );
}

/** The values of a script, or of a program with its arguments, that an interpreter would read as code, or a program as an option. */
function valuesIn(run: Node | undefined, places: readonly MarkerPlace[], text: (node: Node) => string) {
  if (run?.kind === "list") {
    const words = run.items.map((item) => wordOf(places, () => text(item)));
    return { nested: nestedAmong(words), options: optionsAmong(words) };
  }
  const script = run === undefined ? "" : text(run);
  return { nested: nestedIn(script), options: optionsIn(script) };
}

function wordOf(places: readonly MarkerPlace[], read: () => string): { readonly text: string; readonly holes: readonly number[] } {
  const first = places.length;
  const text = read();
  return { text, holes: places.slice(first).map((_, i) => first + i) };
}

const firstOfHole = ({ hole }: Nested, i: number, all: readonly Nested[]): boolean => all.findIndex((each) => each.hole === hole) === i;

/** True for values of the configuration, which may be code. A mistake in the marker itself is reported where the marker is lowered. */
function isTrusted({ marker, scalar }: MarkerPlace, cx: Lowering): boolean {
  const silent: Lowering = { ...cx, report: () => undefined, scope: { ...cx.scope, ownReads: [] } };
  return isConfigControlled(lowerMarker(marker, scalar, silent));
}

/**
 * The shell decides what the script means. So it must be a fixed value. When markers stand in the script, it must also be a shell whose
 * language we know.
 */
function checkShell(shell: Entry | undefined, run: Node | undefined, cx: Lowering): void {
  if (shell === undefined) return;
  // Its other mistakes are reported when it is lowered in its place.
  const report: Report = (finding, ...place) => {
    if (finding.code === "PW206") cx.report(finding, ...place);
  };
  lower(shell.value, {}, readingOnly(configRoots, { ...cx, report }));
  const text = textOf(shell.value);
  const script = textOf(run);
  if (text === undefined || script === undefined || hasMarker(text) || !hasMarker(script)) return;
  const program = text.trim().split(/\s+/)[0] ?? "";
  if (!shells.test(program)) cx.report(codes.markerInCommand(`a script for ${program}`), run?.span ?? shell.value.span);
}

/** Checks that a field in the block and the same field beside the block have equal values (PW115). */
function checkOneValue(key: string, outside: Entry | undefined, inside: Entry | undefined, report: Report): void {
  if (outside === undefined || inside === undefined || isAlike(outside.value, inside.value)) return;
  report(shape.exclude(key, `command.${key}`), (outside.keySpan.start > inside.keySpan.start ? outside : inside).keySpan);
}

const isAlike = (a: Node, b: Node): boolean => JSON.stringify(plain(a)) === JSON.stringify(plain(b));

function checkExit(expected: Entry | undefined, cx: Lowering): void {
  if (expected === undefined) return;
  if (expected.value.kind === "list" && expected.value.items.length === 0) cx.report(codes.expectExit("[]"), expected.value.span);
  const text = textOf(expected.value);
  if (text !== undefined && text !== "any" && !hasMarker(text)) cx.report(codes.expectExit(text), expected.value.span);
}

/** Checks the patterns that are known when compiling (PW421). */
function checkPatterns(parse: Node | undefined, cx: Lowering): void {
  const patterns = [
    get(parse, "split_start"),
    get(parse, "split_end"),
    ...items(get(parse, "matches")).map((match) => get(match, "regex")),
  ];
  for (const pattern of patterns) {
    const text = textOf(pattern);
    if (pattern !== undefined && text !== undefined && !hasMarker(text)) checkStage({ prepare: compile }, text, pattern.span, cx.report);
  }
}
