import { actions } from "#generated/features.ts";
import type { Expr } from "#runtime/plan/index.ts";
import { entry, get, type Node, scalarText } from "../../1-read/document.ts";
import { sourceKeys } from "../../2-check/skeleton-actions.ts";
import type { Scope } from "../markers/scope.ts";

/** `depth` is the number of steps before the name of a header in a path. `sure`: all names in the value are known to be in lower case. */
interface Headers {
  readonly depth: number;
  readonly sure: boolean;
}

/**
 * Names of headers are equal in any case, and the headers that we read have lower-case names. Where a path leads to a header, a constant
 * name is therefore read in lower case. Where transforms may have changed the data of an action, the name is first read as it is written.
 */
export function withHeaderNames(of: Expr, scope: Scope): Expr {
  if (of.op === "count") return { ...of, of: withHeaderNames(of.of, scope) };
  if (of.op !== "at") return of;
  const { base, path } = wholePath(of);
  const headers = headersIn(base, path, scope);
  const name = headers === undefined ? undefined : path[headers.depth];
  if (headers === undefined || typeof name !== "string" || name === name.toLowerCase()) return of;
  const lower: Expr = { op: "at", of: base, path: path.with(headers.depth, name.toLowerCase()) };
  return headers.sure ? lower : { op: "or", of, instead: lower };
}

type At = Extract<Expr, { op: "at" }>;

function wholePath({ of, path }: At): { readonly base: Expr; readonly path: At["path"] } {
  if (of.op !== "at") return { base: of, path };
  const outer = wholePath(of);
  return { base: outer.base, path: [...outer.path, ...path] };
}

function headersIn(base: Expr, [first]: At["path"], scope: Scope): Headers | undefined {
  switch (base.op) {
    case "root":
      return ofRoot(base.root, first, true);
    case "action":
      return ofAction(base.name, first, scopeAround(base.up ?? 0, scope));
    case "data":
      return scope.self === undefined ? undefined : ofAction(scope.self, first, scope);
    default:
      return undefined;
  }
}

function ofRoot(root: string, first: string | number | undefined, sure: boolean): Headers | undefined {
  if (root === "headers") return { depth: 0, sure };
  return root === "request" && first === "headers" ? { depth: 1, sure } : undefined;
}

const scopeAround = (up: number, scope: Scope | undefined): Scope | undefined => (up === 0 ? scope : scopeAround(up - 1, scope?.outer));

/**
 * The headers in the data of the actions of a list. The key has two parts: whether the first step of the path is `headers`, and the name of
 * the action.
 */
const headersByList = new WeakMap<Scope["nodes"], Map<string, Headers | undefined>>();

/** The headers in the data of an action that calls a service, or that takes headers as they are. Each chain of actions is followed once. */
function ofAction(name: string, first: string | number | undefined, scope: Scope | undefined): Headers | undefined {
  const node = scope?.nodes.get(name);
  if (scope === undefined || node === undefined) return undefined;
  const table = headersByList.get(scope.nodes) ?? new Map<string, Headers | undefined>();
  headersByList.set(scope.nodes, table);
  const key = `${first === "headers"} ${name}`;
  if (table.has(key)) return table.get(key);
  // Actions that take each other's data in a circle have no headers.
  table.set(key, undefined);
  const headers = followed(node, first, scope);
  table.set(key, headers);
  return headers;
}

function followed(node: Node, first: string | number | undefined, scope: Scope | undefined): Headers | undefined {
  const sure = entry(node, "post_transforms") === undefined;
  if (entry(node, "http") !== undefined) return first === "headers" ? { depth: 1, sure } : undefined;
  const source = sources.some((key) => entry(node, key) !== undefined) ? undefined : takenBy(node);
  if (source === undefined) return undefined;
  const origin = ofRoot(source, first, sure) ?? ofAction(source, first, scope);
  return origin === undefined ? undefined : { depth: origin.depth, sure: origin.sure && sure };
}

/** Keys beside which `input` does not give the data of the action. */
const sources = [...sourceKeys(actions), "conditional_input", "input_fallbacks"];

/** The root or action that `input` takes as a whole. */
function takenBy(node: Node): string | undefined {
  const { root } = /^a\|(?<root>[A-Za-z_][A-Za-z0-9_-]*)\|$/.exec(scalarText(get(node, "input"))?.trim() ?? "")?.groups ?? {};
  return root === "header" ? "headers" : root;
}
