import { actions } from "#generated/features.ts";
import { compile } from "#runtime/lib/regex.ts";
import type { Expr } from "#runtime/plan.ts";
import { type Entry, entriesOf, entry, get, items, type Node, textOf } from "../1-read/document.ts";
import { sources as codes } from "../diagnostics/codes/actions.ts";
import type { Report } from "../diagnostics/diagnostic.ts";
import { hasMarker } from "./markers.ts";
import { configRoots, type Lowering } from "./scope.ts";
import { checkStage } from "./stage.ts";
import { lower } from "./values.ts";

/** Fields of the action that belong to its command; the block's own wins. */
const beside: readonly string[] = ["expect_exit", "output_stdout"];

/** Shells that read `"${name}"` as we write it. */
const shells = /(?:^|\/)(?:sh|ash|dash|bash|ksh|mksh|zsh|busybox)$/;

/** A `command` block (language.md 5.2). */
export function planCommand(block: Node, action: Node, cx: Lowering): Expr {
  const own = new Set(entriesOf(block).map(({ key }) => key));
  const taken = entriesOf(action).filter(({ key }) => beside.includes(key) && !own.has(key));
  const entries = [...entriesOf(block), ...taken];
  checkShell(entry(block, "shell"), get(block, "run"), cx);
  checkExit(
    entries.find(({ key }) => key === "expect_exit"),
    cx,
  );
  for (const parse of [get(block, "parse"), get(block, "parse_stderr")]) checkPatterns(parse, cx);
  return lower({ kind: "map", span: block.span, entries }, actions.command.schema, cx, { field: "command", required: true });
}

/** The shell decides what the script means: it is the config's own, and one whose language we know when values go into its script. */
function checkShell(shell: Entry | undefined, run: Node | undefined, cx: Lowering): void {
  if (shell === undefined) return;
  // All else that is wrong with it is reported when it is lowered in its place.
  const report: Report = (finding, ...place) => {
    if (finding.code === "PW206") cx.report(finding, ...place);
  };
  lower(shell.value, {}, { ...cx, report, scope: { ...cx.scope, allowed: configRoots } });
  const text = textOf(shell.value);
  const script = textOf(run);
  if (text === undefined || script === undefined || hasMarker(text) || !hasMarker(script)) return;
  const program = text.trim().split(/\s+/)[0] ?? "";
  if (!shells.test(program)) cx.report(codes.markerInCommand(`a script for ${program}`), run?.span ?? shell.value.span);
}

function checkExit(expected: Entry | undefined, cx: Lowering): void {
  if (expected === undefined) return;
  const text = textOf(expected.value);
  if (text !== undefined && text !== "any" && !hasMarker(text)) cx.report(codes.expectExit(text), expected.value.span);
}

/** Patterns that are known now (PW421). */
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
