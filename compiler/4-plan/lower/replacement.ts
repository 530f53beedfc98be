import type { Expr, TextPart } from "#runtime/plan/index.ts";
import type { TemplatePart } from "../markers/marker.ts";
import type { Lowering } from "../markers/scope.ts";
import { listOf, mapOf } from "./fold.ts";
import { lowerHole, textOf } from "./reads.ts";
import type { Scalar } from "./scalar.ts";

/**
 * A replacement as it is written, or the list of its written texts and of `{value: …}` when it holds a marker: only what is written, or
 * filled in raw, can name a group (spec/language 2.8 O). A value cannot make a name with the `$` that is written beside it, either.
 */
export function lowerPieces(parts: readonly TemplatePart[], scalar: Scalar, cx: Lowering): Expr {
  const items: Expr[] = [];
  let texts: TextPart[] = [];
  for (const part of parts) {
    const hole = part.kind === "text" ? part.text : lowerHole(part, scalar, cx, "a replacement");
    if (typeof hole === "string") texts.push(hole);
    else if (hole.raw) texts.push({ fill: "raw", of: hole.of });
    else {
      if (texts.length > 0) items.push(textOf(texts));
      texts = [];
      items.push(mapOf([["value", hole.of]]));
    }
  }
  if (items.length === 0) return textOf(texts);
  return listOf(texts.length > 0 ? [...items, textOf(texts)] : items);
}
