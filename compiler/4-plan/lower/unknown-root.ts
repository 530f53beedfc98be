import { roots } from "#runtime/run/marker-roots.ts";
import { names } from "../../diagnostics/codes/names.ts";
import type { Finding } from "../../diagnostics/diagnostic.ts";
import { nearest } from "../../diagnostics/nearest.ts";
import type { Marker } from "../markers/marker.ts";
import { type Lowering, visibleNames } from "../markers/scope.ts";
import { foreignRoot, isItemWord } from "./foreign-roots.ts";
import type { Scalar } from "./scalar.ts";

/** The mistake of a marker whose root is neither a built-in one nor an action that can be read here (PW301), with its remedy. */
export function unknownRoot({ root: name, path, start, end }: Marker, { template }: Scalar, scope: Lowering["scope"]): Finding {
  // Where an action has no data of its own yet, its own name is no remedy.
  const actions = visibleNames(scope).filter((action) => action !== scope.self || scope.selfIsData);
  const visible = [...actions, ...Object.keys(roots)];
  const isInLoop = scope.outer !== undefined;
  const hasGuess = name !== "previous" && !(isInLoop && isItemWord(name));
  const guess = hasGuess ? ((path === undefined ? dotted(name, visible) : undefined) ?? nearest(name, visible)) : undefined;
  const source = template.text.slice(start, end);
  const remedy = foreignRoot(name, source, isInLoop);
  return names.unknownAction(name, guess, { marker: source, loop: isLoopAround(name, scope), remedy });
}

const isLoopAround = (name: string, { outer }: Lowering["scope"]): boolean =>
  outer !== undefined && (outer.self === name || isLoopAround(name, outer));

/** `Body.x` and `Body:x` are slips for `Body::x`: gives the known root, and the text behind it. */
function dotted(name: string, names: readonly string[]): string | undefined {
  const [, root = "", dot, rest] = /^([A-Za-z_][\w-]*)([.:]|(?=\[))(.+)$/s.exec(name) ?? [];
  const match = names.includes(root) ? root : nearest(root, names);
  return dot === undefined || match === undefined ? undefined : `${match}::${rest}`;
}
