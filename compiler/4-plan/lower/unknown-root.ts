import { roots } from "#runtime/run/marker-roots.ts";
import { get, items, type Node, scalarText } from "../../1-read/document.ts";
import type { Marker } from "../../1-read/markers/marker.ts";
import { names } from "../../diagnostics/codes/names.ts";
import type { Finding } from "../../diagnostics/diagnostic.ts";
import { nearest } from "../../diagnostics/nearest.ts";
import { isItemWord, rootHint } from "../../other-tools/roots.ts";
import { type Lowering, visibleNames } from "../markers/scope.ts";
import type { Scalar } from "./scalar.ts";

/** The mistake of a marker whose root is neither a built-in one nor an action that can be read here (PW301), with its remedy. */
export function unknownRoot({ root: name, path, start, end }: Marker, { template }: Scalar, scope: Lowering["scope"]): Finding {
  const isAround = isLoopAround(name, scope);
  const loop = isAround ? undefined : loopWith(name, scope);
  if (loop !== undefined)
    return names.unknownAction(name, undefined, {
      remedy: `'${name}' runs for each item of '${loop}'; a|${loop}| holds what became of them`,
    });
  const source = template.text.slice(start, end);
  const remedy = remedyOf(name, source, scope.outer !== undefined);
  const near = nearName(name, path, scope);
  // A word of another tool says more than a root that has similar letters.
  const guess = remedy !== undefined && near !== undefined && Object.hasOwn(roots, near) ? undefined : near;
  return names.unknownAction(name, guess, { marker: source, loop: isAround, remedy });
}

/** How a word of another tool is written here, also one with a dot or a colon behind it: `item.id`. */
function remedyOf(name: string, source: string, isInLoop: boolean): string | undefined {
  const [, first, behind] = /^(\w+)[.:](.+)$/s.exec(name) ?? [];
  if (first === undefined) return rootHint(name, source, isInLoop);
  const marker = source.replace(name, () => `${first}::${behind}`);
  return rootHint(first, marker, isInLoop);
}

/** The known name that this one was probably meant to be. */
function nearName(name: string, path: string | undefined, scope: Lowering["scope"]): string | undefined {
  const isItem = scope.outer !== undefined && isItemWord(/^\w*/.exec(name)?.[0] ?? "");
  if (name === "previous" || isItem) return undefined;
  // Where an action has no data of its own yet, its own name is no remedy.
  const actions = visibleNames(scope).filter((action) => action !== scope.self || scope.selfIsData);
  const visible = [...actions, ...Object.keys(roots)];
  return (path === undefined ? dotted(name, visible) : undefined) ?? nearest(name, visible);
}

/** The loop in whose list an action of this name is, among the actions that are visible. */
function loopWith(name: string, { nodes, outer }: Lowering["scope"]): string | undefined {
  const runs = (node: Node): boolean => items(get(node, "actions")).some((one) => scalarText(get(one, "name")) === name || runs(one));
  const [loop] = [...nodes].find(([, node]) => runs(node)) ?? [];
  return loop ?? (outer === undefined ? undefined : loopWith(name, outer));
}

const isLoopAround = (name: string, { outer }: Lowering["scope"]): boolean =>
  outer !== undefined && (outer.self === name || isLoopAround(name, outer));

/** `Body.x`, `Body:x` and `Body/x` are slips for `Body::x`: gives the known root, and the text behind it. */
function dotted(name: string, names: readonly string[]): string | undefined {
  const [, root = "", dot, rest] = /^([A-Za-z_][\w-]*)([.:/]|(?=\[))(.+)$/s.exec(name) ?? [];
  const match = names.includes(root) ? root : nearest(root, names);
  return dot === undefined || match === undefined ? undefined : `${match}::${dot === "/" ? rest?.replaceAll("/", ".") : rest}`;
}
