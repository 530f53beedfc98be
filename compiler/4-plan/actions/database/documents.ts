import { actions } from "#generated/features.ts";
import type { Expr } from "#runtime/plan/index.ts";
import { isObject, type Json, type JsonObject, put } from "#runtime/value/json.ts";
import { type Entry, entriesOf, entry, get, type Node, textOf } from "../../../1-read/document.ts";
import { onlyMarker } from "../../../1-read/markers/markers.ts";
import { shape } from "../../../diagnostics/codes/file.ts";
import type { Report } from "../../../diagnostics/diagnostic.ts";
import { isConfigControlled } from "../../lower/config-controlled.ts";
import { literalEntries, mapOf } from "../../lower/fold.ts";
import { jsonValue } from "../../lower/json-template.ts";
import { lowerMarker } from "../../lower/reads.ts";
import { readScalar } from "../../lower/scalar.ts";
import { checkNumbers, jsonTemplate } from "../../lower/templates.ts";
import { lower } from "../../lower/values.ts";
import type { Lowering } from "../../markers/scope.ts";
import { checkCode, withPatternsQuoted } from "./document-code.ts";
import { checkDocument } from "./written-documents.ts";

/** Fields of an operation that hold documents. */
const documents = ["filter", "pipeline", "insert", "update", "delete", "options"] as const;
type Field = (typeof documents)[number];

/**
 * For each operation, the fields that it needs (one of each inner list), and the other fields that it reads. A change needs a filter, since
 * without one it would concern all documents.
 */
const wants: Readonly<Record<string, { readonly needs: readonly (readonly Field[])[]; readonly reads: readonly Field[] }>> = {
  find: { needs: [], reads: ["filter"] },
  findOne: { needs: [], reads: ["filter"] },
  aggregate: { needs: [["pipeline"]], reads: ["pipeline"] },
  distinct: { needs: [["options"]], reads: ["filter"] },
  insertOne: { needs: [["insert"]], reads: ["insert"] },
  insertMany: { needs: [["insert"]], reads: ["insert"] },
  updateOne: { needs: [["filter"], ["update"]], reads: ["filter", "update"] },
  updateMany: { needs: [["filter"], ["update"]], reads: ["filter", "update"] },
  replaceOne: { needs: [["filter"], ["update"]], reads: ["filter", "update"] },
  findOneAndUpdate: { needs: [["filter"], ["update"]], reads: ["filter", "update"] },
  findOneAndReplace: { needs: [["filter"], ["update"]], reads: ["filter", "update"] },
  deleteOne: { needs: [["delete", "filter"]], reads: ["delete", "filter"] },
  deleteMany: { needs: [["delete", "filter"]], reads: ["delete", "filter"] },
  findOneAndDelete: { needs: [["filter", "delete"]], reads: ["delete", "filter"] },
  countDocuments: { needs: [], reads: ["filter"] },
  estimatedDocumentCount: { needs: [], reads: [] },
};

/** Lowers `document_operation`: data stays data among its operators (spec/language 5.4.4). */
export function planDocuments(block: Node, cx: Lowering): Expr {
  checkFields(block, cx.report);
  const names: Node = { kind: "map", span: block.span, entries: entriesOf(block).filter(({ key }) => !isDocument(key)) };
  const rest = lower(names, actions.document_operation.schema, cx, { field: "document_operation", required: true });
  const entries = rest.op === "map" ? rest.entries : rest.op === "lit" && isObject(rest.value) ? literalEntries(rest.value) : [];
  const lowered = entriesOf(block).flatMap((member): (readonly [string, Expr])[] =>
    isDocument(member.key) ? [[member.key, planDocument(member, cx)]] : [],
  );
  for (const [field, document] of lowered) checkDocument(field, document, block, cx.report);
  return mapOf([...entries, ...lowered]);
}

const isDocument = (key: string): key is Field => documents.some((one) => one === key);

function checkFields(block: Node, report: Report): void {
  const operation = textOf(get(block, "operation")) ?? "";
  const { needs, reads } = Object.hasOwn(wants, operation) ? (wants[operation] ?? nothing) : nothing;
  for (const [first = "", ...others] of needs) {
    if ([first, ...others].every((key) => entry(block, key) === undefined))
      report(shape.missingKey(first, "DocumentOperation"), block.span);
  }
  if (operation === "") return;
  for (const { key, keySpan } of entriesOf(block)) {
    if (isDocument(key) && key !== "options" && !reads.includes(key)) report(shape.noEffect(key), keySpan);
  }
}

const nothing = { needs: [], reads: documents };

/**
 * The kind of place in which data must not become an operator: among conditions and changes, among expressions, or in a document that is
 * stored.
 */
type Mode = "conditions" | "expressions" | "stored";

function planDocument({ key, value }: Entry, cx: Lowering): Expr {
  const mode: Mode =
    key === "insert" ? "stored" : key === "pipeline" || key === "options" || value.kind === "list" ? "expressions" : "conditions";
  const guardedAll = (e: Expr): Expr => {
    if (mode !== "stored") checkCode(e, value, cx.report);
    return kept(e, mode);
  };
  if (value.kind !== "scalar") return guardedAll(lower(value, {}, cx, { field: key, required: false }));
  // A value with a mistake was reported.
  if (value.value === null) return { op: "lit", value: null };
  const scalar = readScalar(value, cx.report);
  if (!scalar.sound) return { op: "lit", value: null };
  const whole = onlyMarker(scalar.template, /^\s+$/);
  const template = jsonTemplate(scalar, cx);
  if (template !== undefined) {
    checkNumbers(template, cx.report);
    return guardedAll(jsonValue(template));
  }
  // One marker gives the whole document: only here a text is read as JSON.
  if (whole !== undefined) return kept(filter("document_json", lowerMarker(whole, scalar, cx, false)), mode);
  cx.report(shape.wrongType(key, "JSON", "text"), value.span);
  return { op: "lit", value: null };
}

const filter = (use: string, of: Expr): Expr => ({ op: "filter", use, of, args: [] });

/** The document with a guard around every value that is data. The parts that the author has written stay as they are. */
function kept(e: Expr, mode: Mode): Expr {
  switch (e.op) {
    case "lit":
      return mode === "stored" ? { op: "lit", value: escapedTwice(e.value) } : e;
    case "list":
      return { op: "list", items: e.items.map((item) => kept(item, mode)) };
    case "map":
      return { op: "map", entries: e.entries.map(([key, value]) => [keptKey(key, mode), keptBelow(key, value, mode)] as const) };
    default:
      return guarded(e, mode);
  }
}

const keptBelow = (key: string | Expr, value: Expr, mode: Mode): Expr =>
  kept(mode === "stored" ? value : withPatternsQuoted(key, value), below(key, mode));

/** `$match` holds conditions, and `$expr` in conditions holds expressions again; the value of `$literal` is data. */
function below(key: string | Expr, mode: Mode): Mode {
  if (mode === "stored") return mode;
  if (key === "$match") return "conditions";
  if (key === "$literal") return "conditions";
  return key === "$expr" ? "expressions" : mode;
}

function keptKey(key: string | Expr, mode: Mode): string | Expr {
  if (typeof key === "string") return mode === "stored" && key.startsWith("$$") ? `$${key}` : key;
  if (isConfigControlled(key)) return key;
  return filter("no_operator_key", key);
}

function guarded(e: Expr, mode: Mode): Expr {
  if (isConfigControlled(e)) return e;
  switch (mode) {
    case "stored":
      return filter("escape_operators", e);
    case "expressions":
      return startsWithText(e) ? e : filter("no_references", e);
    case "conditions":
      return e.op === "text" || e.op === "join" ? e : filter("no_operators", e);
  }
}

/** True for a text that starts with a fixed part: data behind it cannot turn it into an operator or another field. */
const startsWithText = (e: Expr): boolean => e.op === "text" && typeof e.parts[0] === "string";

/** Doubles the escape of a key that the author has written with two `$`, so that the driver gets both. */
function escapedTwice(value: Json): Json {
  if (Array.isArray(value)) return value.map(escapedTwice);
  if (!isObject(value)) return value;
  const out: JsonObject = {};
  for (const [key, item] of Object.entries(value)) put(out, key.startsWith("$$") ? `$${key}` : key, escapedTwice(item));
  return out;
}
