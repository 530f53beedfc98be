import type { Span } from "#runtime/plan/index.ts";
import { routes } from "../diagnostics/codes/flow.ts";
import type { Report } from "../diagnostics/diagnostic.ts";

/** Reports a route that cannot be meant as it is written (PW488). */
export function checkRouteShape(route: string, at: Span, report: Report): void {
  const problem = routeProblem(route);
  if (problem !== undefined) report(routes.routeSegment(...problem), at);
}

/**
 * The first segment of a route that matches nothing, or matches something else than it seems to, with the mistake and its remedy. A
 * parameter is a whole segment and has a name of its own; the rest of a path is the last segment; a path has no query and no dots
 * (spec/surfaces 1).
 */
export function routeProblem(route: string): readonly [string, string, string] | undefined {
  if (/^https?:\/\//.test(route)) return [route, "is an address", "a route is the path alone, as /users/:id"];
  const [, method, path] = /^\/?([A-Z]+) +(\/.*)$/.exec(route) ?? [];
  if (method !== undefined) return [route, "begins with a method", `write 'method: ${method}' and 'route: ${path}'`];
  const segments = route.replace(/^\//, "").split("/");
  const names = new Set<string>();
  for (const [i, segment] of segments.entries()) {
    const name = parameterOf(segment);
    const problem = problemOf(segment, i === segments.length - 1, name !== undefined && names.has(name) ? name : undefined);
    if (problem !== undefined) return [segment, ...problem];
    if (name !== undefined) names.add(name);
  }
  return undefined;
}

/** The name of a segment that is a parameter or the rest. */
const parameterOf = (segment: string): string | undefined => /^(?:[:*](.+)|\{(.+)\})$/.exec(segment)?.slice(1).find(Boolean);

/** The mistake of a segment, and its remedy. `taken` is the name of the parameter, when an earlier segment has the same name. */
function problemOf(segment: string, isLast: boolean, taken: string | undefined): readonly [string, string] | undefined {
  if (/[?#]/.test(segment)) return ["can be in no path", "values of the query are params without being in the route"];
  if (/^(?:\.|%2e){1,2}$/i.test(segment) || (segment === "" && !isLast))
    return ["can be in no path", "a path with '.', '..' or an empty segment is not found"];
  if (/\\[dwsS]|^\(.*[*+].*\)$/.test(segment)) return ["is no pattern", "a parameter is written :id, and 'validate' in 'params' tests it"];
  if (/^<.+>$/.test(segment)) return ["is no parameter", "a parameter is written :id or {id}"];
  const isWhole = /^(?:[^:{}][^{}]*|:[\p{L}\p{N}_-]+|\{[\p{L}\p{N}_-]+\})?$/u.test(segment);
  if (!isWhole)
    return ["is no parameter", "a parameter is a whole segment, :id or {id}: take the segment apart with a filter or a transform"];
  if (segment.startsWith("*") && !isLast) return ["is not the last segment", "only the last segment takes what remains"];
  return taken === undefined ? undefined : [`has the name '${taken}' again`, "give each parameter a name of its own"];
}
