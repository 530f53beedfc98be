import type { Span } from "#runtime/plan/index.ts";
import { routes } from "../diagnostics/codes/flow.ts";
import type { Report } from "../diagnostics/diagnostic.ts";

/** A route with the method that it is served for. */
export interface RoutePlace {
  readonly name: string;
  readonly method: string;
  readonly route: string;
  /** Equal for routes that match the same paths. */
  readonly shape: string;
  readonly routeSpan: Span;
}

/** The most overlaps that are reported: routes may overlap in a million pairs, of which nobody reads a report. */
const mostOverlaps = 1_000;

/**
 * Warns of overlapping routes (PW331): static segments win over parameters, and a reader of the config should know that two routes match
 * one path.
 */
export function warnOverlaps(places: readonly RoutePlace[], report: Report): void {
  let count = 0;
  for (const group of Map.groupBy(places, ({ route }) => route.split("/").length).values())
    for (const [first, later] of overlapsIn(group)) {
      if (count++ === mostOverlaps) return;
      report(routes.overlap(first.name, later.name), later.routeSpan);
    }
}

/** The pairs of routes of the same number of segments that overlap, in the order of the configuration. */
function* overlapsIn(group: readonly RoutePlace[]): Generator<readonly [RoutePlace, RoutePlace]> {
  const tree = new RouteTree();
  for (const [i, { route }] of group.entries()) tree.add(route.split("/"), i);
  for (const [i, pattern] of group.entries()) {
    if (!hasParameter(pattern)) continue;
    for (const k of [...tree.matching(pattern.route.split("/"))].sort((a, b) => a - b)) {
      const other = group[k];
      if (other === undefined || other === pattern || !share(pattern.method, other.method)) continue;
      // Where the shapes are equal, the route of the method itself wins over that of ANY.
      if (pattern.shape === other.shape) continue;
      // Each pair of patterns is met twice, and the later one of the two reports it.
      if (hasParameter(other) && k > i) continue;
      yield k < i ? [other, pattern] : [pattern, other];
    }
  }
}

const hasParameter = ({ route }: RoutePlace): boolean => route.includes("/:");

/** True for methods of two routes when one request may have both. */
const share = (a: string, b: string): boolean => a === b || a === "ANY" || b === "ANY";

/**
 * Routes of the same number of segments as a tree of these segments, in which all parameters are one branch. A project of thousands of
 * routes does not have to compare each with each.
 */
class RouteTree {
  readonly #branches = new Map<string, RouteTree>();
  /** The numbers of the routes that end here. */
  readonly #ends: number[] = [];

  add(segments: readonly string[], number: number): void {
    let tree: RouteTree = this;
    for (const segment of segments) {
      const key = keyOf(segment);
      const next = tree.#branches.get(key) ?? new RouteTree();
      tree.#branches.set(key, next);
      tree = next;
    }
    tree.#ends.push(number);
  }

  /** The routes that match a path which this one matches: in every position the segments are equal, or one of them is a parameter. */
  matching(path: readonly string[]): Iterable<number> {
    let trees: readonly RouteTree[] = [this];
    for (const key of path.map(keyOf)) trees = trees.flatMap((tree) => tree.#fitting(key));
    return trees.flatMap((tree) => tree.#ends);
  }

  #fitting(key: string): readonly RouteTree[] {
    if (key === parameter) return [...this.#branches.values()];
    return [key, parameter].flatMap((name) => this.#branches.get(name) ?? []);
  }
}

const parameter = ":";

const keyOf = (segment: string): string => (segment.startsWith(":") ? parameter : segment);
