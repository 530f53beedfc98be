import { leastToken } from "#runtime/keys/callback-token.ts";
import { duration, longestDelay } from "#runtime/value/duration.ts";
import { get, type Node, numberOf, textOf } from "../../1-read/document.ts";
import { parseTemplate } from "../../1-read/markers/markers.ts";
import { sources as codes } from "../../diagnostics/codes/actions.ts";
import type { Lowering } from "../markers/scope.ts";
import type { Planner } from "./planner.ts";

/** Checks that a wait without markers is one that a run can have (PW474). */
export function checkWait(key: string, value: Node | undefined, least: number, cx: Lowering): void {
  const ms = numberOf(value) ?? duration(textOf(value) ?? "");
  if (value !== undefined && ms !== undefined && (ms < least || ms > longestDelay)) cx.report(codes.waitTime(key, least > 0), value.span);
}

/** Checks the written token and times. A wrong value of a marker fails at run time. */
export const planner: Planner = {
  check(block, _, cx) {
    const token = get(block, "token");
    const text = textOf(token);
    const isFixed = text !== undefined && parseTemplate(text).parts.every(({ kind }) => kind === "text");
    if (token !== undefined && isFixed)
      cx.report([...text].length < leastToken ? codes.shortToken(leastToken) : codes.writtenToken(), token.span);
    checkWait("timeout", get(block, "timeout"), 1, cx);
  },
};
