import { actions } from "#generated/features.ts";
import { compile } from "#runtime/lib/regex.ts";
import type { Expr, Span } from "#runtime/plan.ts";
import { entriesOf, entry, get, type Node, textOf } from "../1-read/document.ts";
import { sources as codes } from "../diagnostics/codes/actions.ts";
import { hasMarker } from "./markers.ts";
import type { Lowering } from "./scope.ts";
import { checkStage } from "./stage.ts";
import { lower } from "./values.ts";

const backends: readonly string[] = ["dns", "kubernetes", "docker", "static"];

/** A `discover` block: one backend, and patterns that are written are tried now. */
export function planDiscover(block: Node, at: Span, cx: Lowering): Expr {
  const written = backends.filter((key) => entry(block, key) !== undefined);
  if (block.kind === "map" && written.length !== 1) cx.report(codes.discoverBackend(), at);
  for (const filter of [get(block, "include"), get(block, "exclude")]) {
    for (const { value } of entriesOf(filter)) {
      const pattern = textOf(value);
      if (pattern !== undefined && !hasMarker(pattern)) checkStage({ prepare: compile }, pattern, value.span, cx.report);
    }
  }
  return lower(block, actions.discover.schema, cx, { field: "discover", required: true });
}
