import { roots } from "#runtime/run/marker-roots.ts";
import { get, items, type Node, scalarText } from "../../1-read/document.ts";
import { names } from "../../diagnostics/codes/names.ts";
import type { Finding } from "../../diagnostics/diagnostic.ts";
import { nearest } from "../../diagnostics/nearest.ts";
import type { Marker } from "../markers/marker.ts";
import { type Lowering, visibleNames } from "../markers/scope.ts";
import { foreignRoot } from "./foreign-roots.ts";
import type { Scalar } from "./scalar.ts";

/** A marker whose root is neither one of the language nor an action that is visible at the place (PW301). */
export function unknownRoot({ root: name, path, start, end }: Marker, { template }: Scalar, scope: Lowering["scope"]): Finding {
  const isAround = isLoopAround(name, scope);
  const loop = isAround ? undefined : loopWith(name, scope);
  if (loop !== undefined)
    return names.unknownAction(name, undefined, {
      remedy: `'${name}' runs for each item of '${loop}'; a|${loop}| holds what became of them`,
    });
  const visible = [...visibleNames(scope), ...Object.keys(roots)];
  const near = name === "previous" ? undefined : ((path === undefined ? dotted(name, visible) : undefined) ?? nearest(name, visible));
  const source = template.text.slice(start, end);
  const [, first, behind] = /^(\w+)[.:](.+)$/s.exec(name) ?? [];
  const isInLoop = scope.outer !== undefined;
  const remedy =
    first === undefined
      ? foreignRoot(name, source, isInLoop)
      : foreignRoot(
          first,
          source.replace(name, () => `${first}::${behind}`),
          isInLoop,
        );
  // A word of another tool says more than a root that has similar letters.
  const guess = remedy !== undefined && near !== undefined && Object.hasOwn(roots, near) ? undefined : near;
  return names.unknownAction(name, guess, { marker: source, loop: isAround, remedy });
}

/** The loop in whose list an action of this name is, among the actions that are visible. */
function loopWith(name: string, { nodes, outer }: Lowering["scope"]): string | undefined {
  const runs = (node: Node): boolean => items(get(node, "actions")).some((one) => scalarText(get(one, "name")) === name || runs(one));
  const [loop] = [...nodes].find(([, node]) => runs(node)) ?? [];
  return loop ?? (outer === undefined ? undefined : loopWith(name, outer));
}

const isLoopAround = (name: string, { outer }: Lowering["scope"]): boolean =>
  outer !== undefined && (outer.self === name || isLoopAround(name, outer));

/** `Body.x` and `Body:x` are slips for `Body::x`: gives the known root, and the text behind it. */
function dotted(name: string, names: readonly string[]): string | undefined {
  const [, root = "", dot, rest] = /^([A-Za-z_][\w-]*)([.:]|(?=\[))(.+)$/s.exec(name) ?? [];
  const match = names.includes(root) ? root : nearest(root, names);
  return dot === undefined || match === undefined ? undefined : `${match}::${rest}`;
}
