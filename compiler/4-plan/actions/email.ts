import { actions } from "#generated/features.ts";
import type { Expr } from "#runtime/plan/index.ts";
import { entry, type Node } from "../../1-read/document.ts";
import { shape } from "../../diagnostics/codes/file.ts";
import { lower } from "../lower/values.ts";
import type { Lowering } from "../markers/scope.ts";

/** An `email` block. What a mail cannot do without may also come from its rows. */
export function planEmail(block: Node, cx: Lowering): Expr {
  const has = (key: string): boolean => entry(block, key) !== undefined;
  const needed = has("rows") ? [] : ["from", ...(has("cc") || has("bcc") ? [] : ["to"])];
  for (const key of needed) if (!has(key)) cx.report(shape.missingKey(key, "Email"), block.span);
  return lower(block, actions.email.schema, cx, { field: "email", required: true });
}
