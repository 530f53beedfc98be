import type { Expr } from "#runtime/plan/index.ts";
import { isObject } from "#runtime/value/json.ts";
import { get, type Node, textOf } from "../../../1-read/document.ts";
import { sources as codes } from "../../../diagnostics/codes/actions.ts";
import type { Report } from "../../../diagnostics/diagnostic.ts";

/**
 * Reports documents that the driver would refuse: a change without operators, a stored document with operators, and a wrong number of
 * documents (PW490).
 */
export function checkDocument(field: string, document: Expr, block: Node, report: Report): void {
  const operation = textOf(get(block, "operation")) ?? "";
  const problem =
    field === "update" ? problemOfUpdate(operation, document) : field === "insert" ? problemOfInsert(operation, document) : undefined;
  const at = get(block, field)?.span;
  if (problem !== undefined && at !== undefined) report(codes.canOnlyFail(field, problem), at);
}

function problemOfUpdate(operation: string, document: Expr): string | undefined {
  const replaces = operation.includes("eplace");
  if (isList(document)) return replaces ? `${operation} takes one document` : undefined;
  const keys = keysOf(document);
  const operator = keys?.find((key) => key.startsWith("$"));
  if (replaces) return operator === undefined ? undefined : `${operation} stores a document, which has no operator '${operator}'`;
  const plain = keys?.find((key) => !key.startsWith("$"));
  if (keys === undefined || (plain === undefined && operator !== undefined)) return undefined;
  return `${operation} changes fields by operators: { $set: { ${plain ?? "field"}: … } }`;
}

const problemOfInsert = (operation: string, document: Expr): string | undefined =>
  operation === "insertOne" && sizeOf(document) !== 1 ? "insertOne takes one document, insertMany a list" : undefined;

/** The number of documents: a record counts as one, and so does a value made of data. */
function sizeOf(e: Expr): number {
  if (e.op === "list") return e.items.length;
  return e.op === "lit" && Array.isArray(e.value) ? e.value.length : 1;
}

const isList = (e: Expr): boolean => e.op === "list" || (e.op === "lit" && Array.isArray(e.value));

/** The keys of a document, when none of them is made of data. */
function keysOf(e: Expr): readonly string[] | undefined {
  if (e.op === "lit") return isObject(e.value) ? Object.keys(e.value) : undefined;
  if (e.op !== "map") return undefined;
  const keys = e.entries.flatMap(([key]) => (typeof key === "string" ? [key] : []));
  return keys.length === e.entries.length ? keys : undefined;
}
