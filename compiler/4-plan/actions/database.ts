import { actions } from "#generated/features.ts";
import type { Dialect } from "#runtime/plan/dialect.ts";
import type { Expr, Op, Span } from "#runtime/plan/index.ts";
import { isObject, type Json } from "#runtime/value/json.ts";
import { entriesOf, entry, flag, get, items, type MapNode, type Node, textOf } from "../../1-read/document.ts";
import { databases as codes } from "../../diagnostics/codes/databases.ts";
import { shape } from "../../diagnostics/codes/file.ts";
import { marker } from "../../diagnostics/codes/marker.ts";
import type { Report } from "../../diagnostics/diagnostic.ts";
import { nearest } from "../../diagnostics/nearest.ts";
import { present } from "../../present.ts";
import { type DatabaseSurroundings, type Databases, spokenBy, table } from "../databases.ts";
import { isSurelyText } from "../inference/sure-text.ts";
import { listOf, literalEntries, mapOf } from "../lower/fold.ts";
import { lower } from "../lower/values.ts";
import type { Lowering } from "../markers/scope.ts";
import { type LoweredQuery, lowerQuery } from "../sql/index.ts";
import { planDocuments } from "./database/documents.ts";
import type { Planner } from "./planner.ts";

export const planner: Planner = { plan: (value, { at, action, around }, cx) => planDatabase(value, action, around, cx, at) };

/** Lowers `database` with the query, or the operation on documents, of its action. */
function planDatabase(value: Node, node: Node, { databases }: DatabaseSurroundings, cx: Lowering, at: Span | undefined): Op[] {
  const database = databaseOf(value, node, databases, cx);
  const speaks = database === undefined ? undefined : spokenBy(database.driver);
  if (database === undefined || speaks === undefined) return [];
  return speaks === "documents" ? planOperation(database, node, cx, at) : planQuery(database, speaks, node, cx, at);
}

function planOperation({ name, driver }: NamedDatabase, node: Node, cx: Lowering, at: Span | undefined): Op[] {
  const block = get(node, "document_operation");
  if (!isAskedBy("document_operation", ["query", "params", "multi"], driver, node, cx.report) || block === undefined) return [];
  return [{ op: "query", use: "document_operation", database: name, args: planDocuments(block, cx), ...present({ at }) }];
}

interface NamedDatabase {
  readonly name: string;
  readonly driver: string;
}

/**
 * The database of an action: a declared one that it names, or one of its own (spec/language 5.4.1). Mistakes in the database were already
 * reported.
 */
function databaseOf(value: Node, node: Node, databases: Databases, cx: Lowering): NamedDatabase | undefined {
  const name = textOf(value);
  const conn_string = entry(node, "conn_string");
  if (name === undefined) return undefined;
  if (conn_string !== undefined) {
    const driver = textOf(get(node, "driver")) ?? schemeOf(conn_string.value) ?? databases.driverOf(name);
    if (driver === undefined && entry(node, "driver") === undefined) cx.report(shape.missingKey("driver", "Action"), node.span);
    const speaks = spokenBy(driver ?? "");
    if (driver === undefined || speaks === undefined) return undefined;
    return { name: databases.own(cx.scope.self ?? name, driver, speaks, { conn_string }), driver };
  }
  if (!databases.has(name)) cx.report(codes.unknown(name, nearest(name, databases.names)), value.span);
  const driver = databases.driverOf(name);
  // Without a driver the declaration was reported already.
  return driver === undefined ? undefined : { name, driver };
}

function schemeOf(node: Node): string | undefined {
  const scheme = /^\s*([a-z0-9+]+):/i.exec(textOf(node) ?? "")?.[1]?.toLowerCase();
  return scheme === undefined ? undefined : Object.keys(table).find((name) => table[name]?.schemes.includes(scheme));
}

/** True for an action that has the key for its kind of database, such as `query`. `others` are the keys for databases of other kinds. */
function isAskedBy(key: string, others: readonly string[], driver: string, node: Node, report: Report): boolean {
  const unused = entriesOf(node).filter((member) => others.includes(member.key));
  const isWritten = entry(node, key) !== undefined;
  const instead = unused.find((member) => member.key === others[0]);
  if (isWritten) for (const member of unused) report(shape.noEffect(member.key), member.keySpan);
  else if (instead === undefined) report(shape.missingKey(key, "Action"), node.span);
  else report(codes.askedOtherwise(instead.key, key, driver), instead.keySpan);
  return isWritten;
}

function planQuery({ name, driver: own }: NamedDatabase, driver: Dialect, node: Node, cx: Lowering, at: Span | undefined): Op[] {
  // A query with a wrong value was reported.
  if (!isAskedBy("query", ["document_operation"], own, node, cx.report) || get(node, "query") === undefined) return [];
  const paramsNode = entry(node, "params");
  const params =
    paramsNode === undefined
      ? undefined
      : { span: paramsNode.keySpan, ...(paramsNode.value.kind === "list" ? { count: paramsNode.value.items.length } : {}) };
  let query: LoweredQuery | undefined;
  const sql: Lowering["sql"] = (scalar, inner) => {
    query = lowerQuery(scalar, inner, { driver, ...present({ params }), multi: flag(node, "multi") });
    return query.text;
  };
  if (paramsNode !== undefined) warnOfNames(paramsNode.value, cx.report);
  const args = lower(pickKeys(node, ["query", "params", "multi"]), actions.database.schema, { ...cx, sql });
  warnOfTexts(query, args, paramsNode?.value, cx.report);
  return [{ op: "query", use: "database", database: name, args: withParts(args, query), ...present({ at }) }];
}

/** Warns of a parameter that is only the name of a value: `params.id` in the place of `a|params::id|`. */
function warnOfNames(node: Node, report: Report): void {
  for (const item of items(node)) {
    const [text, root, path] = item.kind === "scalar" && typeof item.value === "string" ? (nameOfValue.exec(item.value) ?? []) : [];
    if (text !== undefined) report(marker.otherTool(text, `a|${root}::${path}|`), item.span);
  }
}

const nameOfValue = /^(body|params|headers)\.([A-Za-z_][\w.-]*)$/;

/** Warns of texts that SQLite compares with a computed number: every text is larger than every number. Warns of a list in `IN (?)`, too. */
function warnOfTexts(query: LoweredQuery | undefined, args: Expr, node: Node | undefined, report: Report): void {
  const params = args.op === "map" ? args.entries.find(([key]) => key === "params")?.[1] : undefined;
  if (params?.op !== "list" || node?.kind !== "list") return;
  for (const index of new Set(query?.compared)) {
    const [value, item] = [params.items[index], node.items[index]];
    if (value !== undefined && item !== undefined && isSurelyText(value)) report(codes.textBesideNumber(), item.span);
  }
  for (const index of query?.members ?? []) {
    const [value, item] = [params.items[index], node.items[index]];
    if (value !== undefined && item !== undefined && !isSurelyText(value) && value.op !== "lit") report(codes.oneMember(), item.span);
  }
}

const pickKeys = (node: Node, keys: readonly string[]): MapNode => ({
  kind: "map",
  span: node.span,
  entries: entriesOf(node).filter(({ key }) => keys.includes(key)),
});

/** Adds to `params` the values that the text of the query itself needs. */
function withParts(args: Expr, query: LoweredQuery | undefined): Expr {
  if (query === undefined) return args;
  const { values, order, session } = query;
  const parts: (readonly [string, Expr])[] = [
    ...(values.length === 0 ? [] : [["values", listOf(values)] as const]),
    ...(order === undefined ? [] : [["order", literal([...order])] as const]),
    ...(session === undefined ? [] : [["session", session] as const]),
  ];
  if (parts.length === 0) return args;
  const entries = args.op === "map" ? args.entries : args.op === "lit" && isObject(args.value) ? literalEntries(args.value) : [];
  return mapOf([...entries, ...parts]);
}

const literal = (value: Json): Expr => ({ op: "lit", value });

/** Warns of a query beside another source, which has no effect. */
export function withoutEffect(node: Node, report: Report): void {
  for (const { key, keySpan } of entriesOf(node)) if (queryKeys.includes(key)) report(shape.noEffect(key), keySpan);
}

const queryKeys: readonly string[] = ["query", "document_operation"];

/** Reports a query without a database, which would do nothing. */
export function withoutDatabase(node: Node, report: Report): void {
  if (get(node, "query") !== undefined || get(node, "document_operation") !== undefined)
    report(shape.missingKey("database", "Action"), node.span);
}
