import type { Expr, TextPart } from "#runtime/plan/index.ts";
import { get, items, type Node } from "../../../1-read/document.ts";
import { databases } from "../../../diagnostics/codes/databases.ts";
import type { Report } from "../../../diagnostics/diagnostic.ts";
import { isConfigControlled } from "../../lower/config-controlled.ts";

/** Operators whose value the server runs as JavaScript, and the members in it that are data. */
const runners: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["$where", new Set()],
  ["$function", new Set(["args"])],
  ["$accumulator", new Set(["initArgs", "accumulateArgs"])],
]);

/** Reports data in a text that the server runs as code (spec/language 5.4.4). `node` is the document as written. */
export function checkCode(e: Expr, node: Node, report: Report): void {
  if (e.op === "list") {
    for (const [i, item] of e.items.entries()) checkCode(item, items(node)[i] ?? node, report);
  } else if (e.op === "map") {
    for (const [key, value] of e.entries) {
      const name = operator(key);
      const data = runners.get(name);
      if (data !== undefined) checkRun(value, name, data, below(node, key), report);
      else if (name !== "$literal") checkCode(value, below(node, key), report);
    }
  }
}

function checkRun(e: Expr, name: string, data: ReadonlySet<string>, node: Node, report: Report): void {
  if (isConfigControlled(e)) return;
  if (data.size === 0 || e.op !== "map") {
    report(databases.markerInCode(name), node.span);
    return;
  }
  for (const [key, value] of e.entries) {
    if (typeof key === "string" && data.has(key)) checkCode(value, below(node, key), report);
    else if (!isConfigControlled(value) || (typeof key !== "string" && !isConfigControlled(key)))
      report(databases.markerInCode(typeof key === "string" ? `${name}.${key}` : name), below(node, key).span);
  }
}

/** The key as the server gets it: `$$` at its start is one `$`. */
const operator = (key: string | Expr): string => (typeof key !== "string" ? "" : key.startsWith("$$") ? key.slice(1) : key);

const below = (node: Node, key: string | Expr): Node => (typeof key === "string" ? get(node, key) : undefined) ?? node;

/** Operators that have a pattern in one of their members, with the name of that member. */
const members: ReadonlyMap<string | Expr, string> = new Map([
  ["$regexMatch", "regex"],
  ["$regexFind", "regex"],
  ["$regexFindAll", "regex"],
  ["$regularExpression", "pattern"],
]);

/** The value below a key: in a pattern, data with text around them are matched literally (spec/language 2.8 K). */
export function withPatternsQuoted(key: string | Expr, value: Expr): Expr {
  if (key === "$regex") return quoted(value);
  const member = members.get(key);
  if (member === undefined || value.op !== "map") return value;
  return { op: "map", entries: value.entries.map(([name, inner]) => [name, name === member ? quoted(inner) : inner] as const) };
}

function quoted(e: Expr): Expr {
  if (e.op === "text") return { op: "text", parts: e.parts.map((part) => (typeof part === "string" ? part : literal(part.of, part))) };
  return e.op === "join" ? { op: "text", parts: e.items.map((of) => literal(of, { fill: "text", of })) } : e;
}

const literal = (of: Expr, part: TextPart): TextPart => (isConfigControlled(of) ? part : { fill: "regex", of });
