import type { Expr, TextPart } from "#runtime/plan/index.ts";
import type { ScalarNode } from "../../1-read/document.ts";
import { marker as codes } from "../../diagnostics/codes/marker.ts";
import type { Lowering } from "../markers/scope.ts";
import { pathExpr } from "./paths.ts";
import { lowerMarker, textOf } from "./reads.ts";
import { readScalar } from "./scalar.ts";

/**
 * Selects by a JSON Pointer (RFC 6901) from the value of `base`. A marker in it fills exactly one key, even when its value has slashes
 * (spec/language 2.8 I). No pointer is parsed at run time, so the author has to write the first slash.
 */
export function lowerPointer(node: ScalarNode, base: Expr, cx: Lowering): Expr {
  const scalar = readScalar(node, cx.report);
  if (!scalar.sound) return base;
  const [before = [], ...keys] = segments(
    scalar.template.parts.map((part) => (part.kind === "text" ? part.text : lowerMarker(part, scalar, cx))),
  );
  const reason =
    before.length > 0 ? "it begins with a slash" : keys.flat().some(isBadlyEscaped) ? "a tilde is written ~0, a slash ~1" : undefined;
  if (reason !== undefined) cx.report(codes.badPath(String(node.value), reason), node.span);
  return keys.reduce(readKey, base);
}

/** The pieces between slashes; the text before the first slash is the first piece. */
function segments(pieces: readonly (string | Expr)[]): TextPart[][] {
  const out: TextPart[][] = [[]];
  for (const piece of pieces) {
    const [first, ...rest]: readonly TextPart[] = typeof piece === "string" ? piece.split("/") : [{ fill: "text", of: piece }];
    if (first !== undefined && first !== "") out.at(-1)?.push(first);
    for (const key of rest) out.push(key === "" ? [] : [key]);
  }
  return out;
}

const isBadlyEscaped = (part: TextPart): boolean => typeof part === "string" && /~(?![01])/.test(part);

/** A part without the escapes of a pointer: `~1` is a slash, `~0` a tilde. */
const unescaped = (part: TextPart): TextPart => (typeof part === "string" ? part.replaceAll("~1", "/").replaceAll("~0", "~") : part);

function readKey(of: Expr, parts: readonly TextPart[]): Expr {
  const [only, ...more] = parts;
  if (typeof only === "object" && more.length === 0) return { op: "filter", use: "access", of, args: [only.of] };
  const key = textOf(parts.map(unescaped));
  return key.op === "lit" ? pathExpr(of, { steps: [String(key.value)], count: false }) : { op: "filter", use: "access", of, args: [key] };
}
