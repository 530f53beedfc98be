import type { InterfacePlan } from "#runtime/plan/index.ts";
import { schemaShape } from "#runtime/shapes/json-schema.ts";
import { any, anyObject, array, nothing, number, object, type Shape, string, union } from "#runtime/shapes/shape.ts";
import { parseTimestamp } from "#runtime/value/timestamp.ts";
import type { ShapeScope } from "./scope.ts";

const textOrNull = union(string, nothing);

/** The address of the caller; a trigger without one gives no member (spec/language 2.4). */
const ip: Shape = object(
  new Map(
    ["client", "socket", "real_ip", "country", "asn", "forwarded_chain"].map((name) => [
      name,
      { shape: name === "forwarded_chain" ? array(string) : any, optional: true as const },
    ]),
  ),
);

/** The values that a run brings (spec/language 2.4), before the declared parameters are evaluated. */
export function rootsOf(plan: InterfacePlan): Map<string, Shape> {
  const body = plan.accepts === undefined ? any : schemaShape(plan.accepts);
  const params = routeParams(plan);
  const roots = new Map<string, Shape>([
    ["body", body],
    ["params", params],
    ["headers", anyObject],
    ["raw_body", textOrNull],
    ["ip", ip],
    ["uuid", string],
  ]);
  return withRequest(roots);
}

/** `request` holds the parameters and the body that the other roots give. */
export function withRequest(roots: ReadonlyMap<string, Shape>): Map<string, Shape> {
  const request = object({
    id: string,
    method: textOrNull,
    path: textOrNull,
    trigger: string,
    interface: string,
    config: string,
    environment: string,
    headers: anyObject,
    params: roots.get("params") ?? any,
    body: roots.get("body") ?? any,
  });
  return new Map([...roots, ["request", request]]);
}

/** A caller may add parameters of any name to the query; other triggers than HTTP may leave those of the route out. */
function routeParams({ route }: InterfacePlan): Shape {
  const names = routeNames(route);
  return object(new Map(names.map((name) => [name, { shape: any, optional: true as const }])), any);
}

/** The names of the parameters in a route: `:name`, `{name}` and `*name` (spec/surfaces 1). */
export const routeNames = (route = ""): readonly string[] =>
  route.split("/").flatMap((segment) => /^(?::|\*)(?<name>.+)$|^\{(?<braced>.+)\}$/.exec(segment)?.slice(1).filter(Boolean) ?? []);

/** The shape of a root, or of the value with a name under it. */
export function rootShape(root: string, name: string | undefined, scope: ShapeScope): Shape {
  if (root === "env") return textOrNull;
  if (root === "timestamp") return timestamp(name ?? "s");
  return scope.roots.get(root) ?? any;
}

/** Unix time and fields of the calendar are numbers; nanoseconds and formatted times are text (spec/language 2.10). */
const timestamp = (format: string): Shape =>
  /^(?:s|ms|(?:utc)?(?:year|month|day|hour|minute|second))$/.test(parseTimestamp(format)?.format ?? "") ? number : string;
