import { touches } from "../../outgoing/touches.ts";
import type { Act } from "../../run/run.ts";
import { argument, onlyValue } from "../../shapes/arguments.ts";
import { any, anyArray, anyObject, nothing, number, object as objectShape, type Shape, union } from "../../shapes/shape.ts";
import { Failure } from "../../value/failure.ts";
import { isObject, type Json, type JsonObject, own, typeOf } from "../../value/json.ts";
import type { Action } from "../feature.ts";
import { connect, type DriverOf, failed, type Pingable, type SourceOf } from "./database/source.ts";
import type { QueryLimits } from "./database.ts";

/** The operations on a collection, by the names of MongoDB. */
const operations = [
  ...(["find", "findOne", "aggregate", "distinct", "insertOne", "insertMany", "updateOne", "updateMany", "replaceOne"] as const),
  ...(["deleteOne", "deleteMany", "findOneAndUpdate", "findOneAndReplace", "findOneAndDelete"] as const),
  ...(["countDocuments", "estimatedDocumentCount"] as const),
] as const;

export type Operation = (typeof operations)[number];

/** An operation with its documents checked: what is not needed is empty. Documents are JSON, typed values in it Extended JSON. */
export interface DocumentRequest {
  /** Absent: the database of the connection. */
  readonly database: string | undefined;
  readonly collection: string;
  readonly operation: Operation;
  readonly filter: JsonObject;
  readonly pipeline: readonly JsonObject[];
  readonly insert: readonly JsonObject[];
  readonly update: JsonObject | readonly JsonObject[];
  readonly options: JsonObject;
}

/** Rejects with the driver's own error. */
export interface DocumentConnection extends Pingable {
  readonly perform: (request: DocumentRequest, limits: QueryLimits) => Promise<Json>;
}

export type DocumentSource = SourceOf<DocumentConnection>;

export type DocumentDriver = DriverOf<DocumentConnection>;

/** A key that is absent was not written; null is a marker that gave nothing, and never means all documents. */
export interface DocumentArgs {
  readonly database?: string | null;
  readonly collection: string;
  readonly operation: string;
  readonly filter?: Json;
  readonly pipeline?: Json;
  readonly insert?: Json;
  readonly update?: Json;
  readonly delete?: Json;
  readonly options?: Json;
}

/**
 * Works with documents of a collection. The data is a list for `find`, `aggregate` and `distinct`, a document or null for `findOne` and
 * those that find and change one, `{inserted_id}`, `{inserted_ids, inserted_count}`, `{matched_count, modified_count, upserted_id}`,
 * `{deleted}` or `{count}`. ObjectIds come as hexadecimal text and dates in ISO 8601; in what is sent a value is typed by Extended JSON,
 * such as `{ $oid: … }`, where the configuration itself writes it.
 */
export async function document_operation(act: Act, source: DocumentSource, args: DocumentArgs): Promise<Json> {
  const request = requestOf(args);
  const { exchanges } = act.run.shared;
  const question = exchanges === undefined ? "" : `${request.operation} ${request.collection}`;
  touches(act.run, { kind: "documents", request, of: source.name });
  try {
    const documents = await connect(source, act.run).perform(request, { signal: () => act.signal });
    exchanges?.asked(act, source.name, question, undefined, documents);
    return documents;
  } catch (error) {
    const failure = failed(error, source, act.run);
    exchanges?.asked(act, source.name, question, undefined, failure);
    throw failure;
  }
}

function requestOf(args: DocumentArgs): DocumentRequest {
  const { collection, operation } = args;
  const match = operations.find((one) => one === operation);
  if (match === undefined) throw new Failure("evaluation", `field operation: unknown operation '${operation}'`);
  if (collection === "") throw new Failure("evaluation", "field collection: expected text");
  const { update = {} } = args;
  return {
    database: args.database ?? undefined,
    collection,
    operation: match,
    filter: object(
      args.delete === undefined ? (args.filter ?? absent(args, "filter")) : args.delete,
      args.delete === undefined ? "filter" : "delete",
    ),
    pipeline: args.pipeline === undefined ? [] : objects(args.pipeline, "pipeline"),
    insert: args.insert === undefined ? [] : objects(Array.isArray(args.insert) ? args.insert : [args.insert], "insert"),
    update: Array.isArray(update) ? objects(update, "update") : object(update, "update"),
    options: optionsOf(args.options === undefined ? {} : object(args.options, "options")),
  };
}

const absent = (args: DocumentArgs, name: "filter"): Json => (Object.hasOwn(args, name) ? null : {});

function object(value: Json, field: string): JsonObject {
  if (isObject(value)) return value;
  throw new Failure("evaluation", `field ${field}: expected object, got ${typeOf(value)}`);
}

function objects(value: Json, field: string): readonly JsonObject[] {
  if (!Array.isArray(value)) throw new Failure("evaluation", `field ${field}: expected array, got ${typeOf(value)}`);
  return value.map((item) => object(item, field));
}

/** Options of the driver that an operation may be given: none of them reaches outside of the collection. */
export const documentOptions = [
  ...["sort", "limit", "skip", "projection", "collation", "hint", "let", "comment", "allowDiskUse", "batchSize", "min", "max"],
  ...["upsert", "arrayFilters", "ordered", "returnDocument", "bypassDocumentValidation", "key"],
] as const;

function optionsOf(options: JsonObject): JsonObject {
  const unknown = Object.keys(options).find((name) => !documentOptions.some((option) => option === name));
  if (unknown !== undefined) throw new Failure("evaluation", `field options: unknown option '${unknown}'`);
  if (own(options, "key") !== undefined && typeof options.key !== "string") throw new Failure("evaluation", "field options: key is text");
  return options;
}

function shape(args: Shape): Shape {
  const operation = onlyValue(argument(args, "operation"));
  if (typeof operation !== "string") return any;
  if (["find", "aggregate", "distinct"].includes(operation)) return anyArray;
  if (operation.startsWith("findOne")) return union(anyObject, nothing);
  if (operation === "insertOne") return objectShape({ inserted_id: any });
  if (operation === "insertMany") return objectShape({ inserted_ids: anyArray, inserted_count: number });
  if (operation.startsWith("delete")) return objectShape({ deleted: number });
  return /count/i.test(operation)
    ? objectShape({ count: number })
    : objectShape({ matched_count: number, modified_count: number, upserted_id: any });
}

/** The part of an action that works with documents. It has no `run`, because it also needs its database. */
export const spec: Omit<Action<DocumentArgs>, "run"> = {
  summary: "Work with the documents of a MongoDB collection.",
  effect: "state",
  written: "part",
  schema: {
    type: "object",
    keepsKeys: true,
    required: ["collection", "operation"],
    additionalProperties: false,
    properties: {
      database: { type: "string", description: "Database on the server, by default the one that the connection names." },
      collection: { type: "string", description: "Collection." },
      operation: { type: "string", enum: [...operations], context: "static", description: "The operation on documents." },
      filter: {
        anyOf: [{ type: "object" }, { type: "string" }],
        description: "Which documents: a map, or a text that is a JSON template.",
      },
      pipeline: {
        anyOf: [{ type: "array" }, { type: "string" }],
        description: "Stages of aggregate: a list, or a text that is a JSON template.",
      },
      insert: {
        anyOf: [{ type: "object" }, { type: "array" }, { type: "string" }],
        description: "The document of insertOne, or the list of insertMany.",
      },
      update: {
        anyOf: [{ type: "object" }, { type: "array" }, { type: "string" }],
        description: "How documents are changed, or the document that takes their place.",
      },
      delete: { anyOf: [{ type: "object" }, { type: "string" }], description: "Which documents are deleted." },
      options: {
        description: "Options of the driver.",
        anyOf: [
          {
            title: "DocumentOptions",
            type: "object",
            additionalProperties: false,
            properties: {
              sort: { description: "Order: 1 or -1 for each field." },
              limit: { description: "Most documents." },
              skip: { description: "Documents that are left out first." },
              projection: { description: "Fields that are given, or with 0 those that are not." },
              collation: { description: "Language rules of comparisons." },
              hint: { description: "Index that is used." },
              let: { description: "Variables of expressions." },
              comment: { description: "Shown in the logs of the server." },
              allowDiskUse: { description: "Let a large sort use the disk." },
              batchSize: { description: "Documents that are fetched at once." },
              min: { description: "Lower bound of the index." },
              max: { description: "Upper bound of the index." },
              upsert: { description: "Insert a document when none matches." },
              arrayFilters: { description: "Conditions for the elements of arrays that an update changes." },
              ordered: { description: "Stop insertMany at the first failure, true by default." },
              returnDocument: { description: "The document before or after the change, before by default." },
              bypassDocumentValidation: { description: "Skip the validation rules of the collection." },
              key: { description: "Field of distinct." },
            },
          },
          { type: "string" },
        ],
      },
    },
  },
  shape,
};
