import type { Expr, TextPart } from "#runtime/plan/index.ts";

/** A part of a query: text, a filled hole, or a gap. */
export type Text = TextPart | typeof gap;

/** A mark on both sides of a literal: without a blank `-` before `-5` would start a comment, and `'a'` before `'b'` would be one string. */
export const gap = Symbol("gap");

/** The whole text. A gap becomes a blank unless blanks, brackets or commas keep its neighbours apart. */
export function joined(pieces: readonly Text[]): Expr {
  const parts: TextPart[] = [];
  let due = false;
  // The character at the end; empty behind a hole. To ask the text for it would copy the text each time.
  let end = " ";
  for (const piece of pieces) {
    if (piece === gap) {
      due = true;
      continue;
    }
    const apart = /[\s([,]/.test(end) || (typeof piece === "string" && /^[\s)\],;]/.test(piece));
    append(parts, due && !apart ? " " : "");
    append(parts, piece);
    if (piece !== "") end = typeof piece === "string" ? piece.slice(-1) : "";
    else if (due && !apart) end = " ";
    due = false;
  }
  const [only = ""] = parts;
  return parts.length <= 1 && typeof only === "string" ? { op: "lit", value: only } : { op: "text", parts };
}

function append(parts: TextPart[], piece: TextPart): void {
  const last = parts.at(-1);
  if (typeof piece === "string" && typeof last === "string") parts[parts.length - 1] = last + piece;
  else if (piece !== "") parts.push(piece);
}
