import type { Expr, TextPart } from "#runtime/plan/index.ts";
import type { TemplatePart } from "../../1-read/markers/marker.ts";
import type { Lowering } from "../markers/scope.ts";
import { listOf, mapOf } from "./fold.ts";
import { lowerHole, textOf } from "./reads.ts";
import type { Scalar } from "./scalar.ts";

/**
 * A replacement as it is written. With markers it is a list of its written texts and of `{value: …}`, because only written or raw text can
 * name a group (spec/language 2.8 O). A value also cannot become a name behind a written `$`.
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
