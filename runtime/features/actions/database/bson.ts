import type { Binary, BSON, BSONRegExp, Code, DBRef, Decimal128, Double, Long, ObjectId, Timestamp } from "mongodb";
import { Failure } from "../../../value/failure.ts";
import { isObject, type Json, type JsonObject, put } from "../../../value/json.ts";
import { decimal, float, integer } from "./rows.ts";

// Documents as JSON (spec/language 5.4.4).

/** The parts of the package that make typed values; the driver loads it when it is first used. */
export type Types = Pick<typeof BSON, "EJSON" | "Long">;

/**
 * The keys by which the author of a configuration may write a value that JSON has no type for (MongoDB Extended JSON v2); no other `$`-keys
 * are types.
 */
const typed: ReadonlySet<string> = new Set([
  ...[
    "$oid",
    "$date",
    "$numberLong",
    "$numberInt",
    "$numberDouble",
    "$numberDecimal",
    "$uuid",
    "$binary",
    "$regularExpression",
    "$timestamp",
  ],
  ...["$minKey", "$maxKey"],
]);

const deepest = 100;

/** The subtype of binary values that are UUIDs. */
const uuid = 4;

/**
 * A document for the server. A map with one key of Extended JSON is the value it stands for; `$$` at the start of a key is one `$` of data.
 */
export function toBson(value: Json, types: Types, depth = 0): unknown {
  if (depth > deepest) throw new Failure("evaluation", "the document is nested too deep");
  if (typeof value === "number") return numeric(value, types);
  if (Array.isArray(value)) return value.map((item) => toBson(item, types, depth + 1));
  if (!isObject(value)) return value;
  const [only, second] = Object.keys(value);
  if (only !== undefined && second === undefined && typed.has(only)) return extended(value, only, types);
  const out: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    const name = key.startsWith("$$") ? key.slice(1) : key;
    Object.defineProperty(out, name, { value: toBson(item, types, depth + 1), enumerable: true, writable: true, configurable: true });
  }
  return out;
}

/** Whole numbers beyond 32 bits stay whole: bson would make doubles of them. */
function numeric(value: number, { Long }: Types): unknown {
  return Number.isSafeInteger(value) && Math.abs(value) > 2 ** 31 - 1 ? Long.fromNumber(value) : value;
}

function extended(value: JsonObject, key: string, { EJSON }: Types): unknown {
  try {
    const read: unknown = EJSON.parse(JSON.stringify(value), { relaxed: false });
    // Extended JSON leaves values that it does not know as they are.
    if (typeof read === "object" && read !== null && Object.getPrototypeOf(read) === Object.prototype) throw new Error("unknown form");
    if (read instanceof Date && Number.isNaN(read.getTime())) throw new Error("no date");
    return read;
  } catch {
    throw new Failure("evaluation", `bad value of ${key}`);
  }
}

/**
 * Turns a value of the server into JSON: ObjectId as hexadecimal text, dates as ISO 8601 (UTC), whole numbers and decimals while every
 * digit fits, bytes as Base64.
 */
export function fromBson(value: unknown): Json {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      return float(value);
    case "bigint":
      return integer(value);
    case "object":
      return value === null ? null : fromObject(value);
    default:
      return null;
  }
}

function fromObject(value: object): Json {
  if (Array.isArray(value)) return value.map(fromBson);
  if (value instanceof Date) return dated(value);
  const special = "_bsontype" in value ? fromType(value, String(value._bsontype)) : undefined;
  if (special !== undefined) return special;
  const out: JsonObject = {};
  for (const [key, item] of Object.entries(value)) put(out, key, fromBson(item));
  return out;
}

function dated(date: Date): string {
  return Number.isNaN(date.getTime()) ? "invalid date" : date.toISOString().replace(".000Z", "Z");
}

/** Converts a typed value. Its type is found by the tag that the package gives its classes, since a bundle may hold each class twice. */
function fromType(value: object, tag: string): Json | undefined {
  switch (tag) {
    case "ObjectId":
      return (value as ObjectId).toHexString();
    case "Long":
      return integer(BigInt((value as Long).toString()));
    case "Int32":
    case "Double":
      return float(Number((value as Double).valueOf()));
    case "Decimal128":
      return decimal((value as Decimal128).toString());
    case "Binary": {
      const binary = value as Binary;
      return binary.sub_type === uuid ? binary.toUUID().toHexString(true) : Buffer.from(binary.value()).toString("base64");
    }
    case "Timestamp":
      return { t: (value as Timestamp).t, i: (value as Timestamp).i };
    case "BSONRegExp":
      return `/${(value as BSONRegExp).pattern}/${(value as BSONRegExp).options}`;
    case "BSONSymbol":
      return String((value as { value: unknown }).value);
    case "Code":
      return String((value as Code).code);
    case "DBRef": {
      const { collection, oid, db } = value as DBRef;
      return { $ref: collection, $id: fromBson(oid), ...(db === undefined ? {} : { $db: db }) };
    }
    case "MinKey":
    case "MaxKey":
      return tag;
    default:
      return undefined;
  }
}
