import { compile } from "#runtime/languages/regex.ts";
import type { Span } from "#runtime/plan/index.ts";
import { entriesOf, entry, get, items, type Node, scalarText, textOf } from "../../1-read/document.ts";
import { hasMarker } from "../../1-read/markers/markers.ts";
import { sources as codes } from "../../diagnostics/codes/actions.ts";
import { shape } from "../../diagnostics/codes/file.ts";
import type { Report } from "../../diagnostics/diagnostic.ts";
import { checkStage } from "../stage.ts";
import type { Planner } from "./planner.ts";

const backends: readonly string[] = ["dns", "kubernetes", "docker", "static"];

const isPort = (text: string): boolean => /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535;

/** Checks a port that is known when compiling. */
function checkPort(node: Node | undefined, report: Report): void {
  const text = scalarText(node);
  if (node === undefined || text === undefined || hasMarker(text) || isPort(text.trim())) return;
  report(
    /^-?\d+$/.test(text)
      ? shape.outside("port", text, 1, 65_535)
      : shape.wrongType("port", "port", undefined, { problem: `'${text}' is no port` }),
    node.span,
  );
}

/** Checks the port of a member that is written as `host:port`. */
function checkMember(text: string, at: Span, report: Report): void {
  if (hasMarker(text)) return;
  const [, port] = /^(?:\[[^\]]*\]|[^:]+):([^:]*)$/.exec(text) ?? [];
  if (port !== undefined && !isPort(port))
    report(shape.wrongType("static", "member", undefined, { problem: `'${port}' of '${text}' is no port` }), at);
}

/** Checks that there is one backend, and tries the patterns that are known when compiling. */
export const planner: Planner = {
  check(block, { at }, cx) {
    const keys = backends.filter((key) => entry(block, key) !== undefined);
    if (block.kind === "map" && keys.length !== 1) cx.report(codes.discoverBackend(), at);
    for (const filter of [get(block, "include"), get(block, "exclude")]) {
      for (const { value } of entriesOf(filter)) {
        const pattern = textOf(value);
        if (pattern !== undefined && !hasMarker(pattern)) checkStage({ prepare: compile }, pattern, value.span, cx.report);
      }
    }
    checkPort(get(block, "port"), cx.report);
    const list = get(block, "static");
    const members = list?.kind === "scalar" ? [list] : items(list);
    for (const member of members) for (const text of (textOf(member) ?? "").split(",")) checkMember(text.trim(), member.span, cx.report);
  },
};
