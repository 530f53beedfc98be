import { isObject, type Json, type JsonObject, own } from "#runtime/value/json.ts";
import type { Operation } from "./operation.ts";

/**
 * The operations of a configuration of pipewright: its interfaces with a route, by their names. The body of an answer is what `produces`
 * says. The configuration comes from a file beside the one that is compiled, and is not checked.
 */
export function servedOperations(config: JsonObject): ReadonlyMap<string, Operation> {
  const interfaces = own(config, "interfaces") ?? {};
  const operations = new Map<string, Operation>();
  for (const [name, target] of isObject(interfaces) ? Object.entries(interfaces) : []) {
    if (!isObject(target) || !["output", "method", "route"].some((key) => own(target, key) !== undefined)) continue;
    operations.set(name, { method: textAt(target, "method") ?? "GET", ...pathOf(textAt(target, "route") ?? name), of: answerOf(target) });
  }
  return operations;
}

const textAt = (target: JsonObject, key: string): string | undefined => {
  const value = own(target, key);
  return typeof value === "string" ? value : undefined;
};

/** The route in the form of OpenAPI; an empty object where the route takes any rest of a path. */
function pathOf(route: string): Pick<Operation, "path"> {
  if (route.includes("*")) return {};
  return { path: `/${route.replace(/^\//, "")}`.replace(/:([A-Za-z_][A-Za-z0-9_]*)/g, "{$1}") };
}

/** The answers of success, as OpenAPI has them. */
function answerOf(target: JsonObject): JsonObject {
  const produces = own(target, "produces") ?? null;
  const schema: Json = isObject(produces) ? (own(produces, "schema") ?? true) : true;
  return { responses: { 200: { content: { "application/json": { schema } } } } };
}
