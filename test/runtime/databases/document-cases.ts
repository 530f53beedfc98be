import { BSON } from "mongodb";
import { expect } from "vitest";
import type { DocumentArgs } from "../../../runtime/features/actions/document_operation.ts";
import type { Json } from "../../../runtime/value/json.ts";

// The meaning of `document_operation` on a store that speaks the protocol of MongoDB: our own peer, and a server where there is one.

const [a, b] = ["65f0c0ffee00000000000001", "65f0c0ffee00000000000002"].map((hex) => new BSON.ObjectId(hex));

/** The collection before each operation. */
export const documents = (): Record<string, unknown>[] => [
  { _id: a, name: "one", n: 1, tags: ["x", "y"] },
  { _id: b, name: "two", n: 2, tags: ["y"] },
];

/** Operations on these documents, and what they give. */
export const operationCases: readonly (readonly [Partial<DocumentArgs>, Json])[] = [
  [
    { operation: "find" },
    [
      { _id: a?.toHexString() ?? "", name: "one", n: 1, tags: ["x", "y"] },
      { _id: b?.toHexString() ?? "", name: "two", n: 2, tags: ["y"] },
    ],
  ],
  [{ operation: "find", filter: { n: { $gt: 1 } }, options: { projection: { _id: 0, n: 1 } } }, [{ n: 2 }]],
  [{ operation: "find", options: { sort: { n: -1 }, limit: 1, projection: { _id: 0, name: 1 } } }, [{ name: "two" }]],
  [{ operation: "find", options: { sort: { n: -1 }, skip: 1, projection: { _id: 0, name: 1 } } }, [{ name: "one" }]],
  [
    { operation: "find", filter: { _id: { $oid: "65f0c0ffee00000000000002" } }, options: { projection: { n: 1 } } },
    [{ _id: "65f0c0ffee00000000000002", n: 2 }],
  ],
  [{ operation: "find", filter: { name: "none" } }, []],
  [{ operation: "findOne", filter: { name: "two" }, options: { projection: { _id: 0, n: 1 } } }, { n: 2 }],
  [{ operation: "findOne", filter: { name: "none" } }, null],
  [
    { operation: "aggregate", pipeline: [{ $unwind: "$tags" }, { $group: { _id: "$tags", n: { $sum: 1 } } }, { $sort: { _id: 1 } }] },
    [
      { _id: "x", n: 1 },
      { _id: "y", n: 2 },
    ],
  ],
  [{ operation: "distinct", options: { key: "tags" } }, ["x", "y"]],
  [{ operation: "distinct", filter: { n: 2 }, options: { key: "name" } }, ["two"]],
  [{ operation: "countDocuments", filter: { tags: "y" } }, { count: 2 }],
  [{ operation: "countDocuments", filter: { tags: "z" } }, { count: 0 }],
  [{ operation: "estimatedDocumentCount" }, { count: 2 }],
  [{ operation: "insertOne", insert: { _id: "own", n: 3 } }, { inserted_id: "own" }],
  [{ operation: "insertOne", insert: { n: 3 } }, { inserted_id: expect.stringMatching(/^[0-9a-f]{24}$/) as unknown as Json }],
  [
    { operation: "insertMany", insert: [{ _id: 7 }, { _id: 8 }] },
    { inserted_ids: [7, 8], inserted_count: 2 },
  ],
  [
    { operation: "updateOne", filter: { name: "one" }, update: { $set: { n: 5 } } },
    { matched_count: 1, modified_count: 1, upserted_id: null },
  ],
  [
    { operation: "updateOne", filter: { name: "one" }, update: [{ $set: { copy: "$name" } }] },
    { matched_count: 1, modified_count: 1, upserted_id: null },
  ],
  [
    { operation: "updateMany", filter: { tags: "y" }, update: { $inc: { n: 1 } } },
    { matched_count: 2, modified_count: 2, upserted_id: null },
  ],
  [
    { operation: "updateMany", filter: { name: "none" }, update: { $set: { n: 1 } } },
    { matched_count: 0, modified_count: 0, upserted_id: null },
  ],
  [
    { operation: "updateOne", filter: { _id: "new" }, update: { $set: { n: 1 } }, options: { upsert: true } },
    { matched_count: 0, modified_count: 0, upserted_id: "new" },
  ],
  [
    { operation: "replaceOne", filter: { name: "one" }, update: { name: "uno" } },
    { matched_count: 1, modified_count: 1, upserted_id: null },
  ],
  [{ operation: "deleteOne", delete: { name: "one" } }, { deleted: 1 }],
  [{ operation: "deleteMany", delete: { tags: "y" } }, { deleted: 2 }],
  [{ operation: "deleteMany", filter: { name: "none" } }, { deleted: 0 }],
  [
    {
      operation: "findOneAndUpdate",
      filter: { n: 1 },
      update: { $set: { n: 9 } },
      options: { returnDocument: "after", projection: { _id: 0, n: 1 } },
    },
    { n: 9 },
  ],
  [{ operation: "findOneAndUpdate", filter: { n: 1 }, update: { $set: { n: 9 } }, options: { projection: { _id: 0, n: 1 } } }, { n: 1 }],
  [{ operation: "findOneAndUpdate", filter: { n: 100 }, update: { $set: { n: 9 } } }, null],
  [
    { operation: "findOneAndReplace", filter: { n: 1 }, update: { n: 10 }, options: { returnDocument: "after" } },
    { _id: "65f0c0ffee00000000000001", n: 10 },
  ],
  [{ operation: "findOneAndDelete", filter: { n: 1 }, options: { projection: { _id: 0, name: 1 } } }, { name: "one" }],
  [{ operation: "findOneAndDelete", delete: { n: 100 } }, null],
];

/** Values of every type of BSON, and the JSON of each. */
export const typeCases: Record<string, [unknown, Json]> = {
  oid: [a, "65f0c0ffee00000000000001"],
  date: [new Date("2024-02-29T12:00:00.500Z"), "2024-02-29T12:00:00.500Z"],
  second: [new Date("2024-02-29T12:00:00Z"), "2024-02-29T12:00:00Z"],
  int: [new BSON.Int32(-5), -5],
  double: [new BSON.Double(0.5), 0.5],
  nan: [Number.NaN, "NaN"],
  long: [BSON.Long.fromString("9007199254740991"), 9007199254740991],
  longer: [BSON.Long.fromString("-9007199254740993"), "-9007199254740993"],
  decimal: [BSON.Decimal128.fromString("12.50"), 12.5],
  precise: [BSON.Decimal128.fromString("0.1234567890123456789"), "0.1234567890123456789"],
  bytes: [new BSON.Binary(Buffer.from([0, 255])), "AP8="],
  uuid: [new BSON.UUID("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"), "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"],
  regex: [new BSON.BSONRegExp("^a", "i"), "/^a/i"],
  stamp: [new BSON.Timestamp({ t: 5, i: 1 }), { t: 5, i: 1 }],
  code: [new BSON.Code("function () {}"), "function () {}"],
  least: [new BSON.MinKey(), "MinKey"],
  text: ["tüx 𝕏", "tüx 𝕏"],
  bool: [true, true],
  none: [null, null],
  inner: [
    { list: [{ x: a }], __proto: 1 },
    { list: [{ x: "65f0c0ffee00000000000001" }], __proto: 1 },
  ],
};

/** A document in Extended JSON, as a configuration writes it. */
export const extendedInsert = {
  _id: { $oid: "65f0c0ffee00000000000003" },
  at: { $date: "2024-02-29T12:00:00Z" },
  price: { $numberDecimal: "12.50" },
  big: 9007199254740991,
  small: 5,
  half: 0.5,
  uuid: { $uuid: "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11" },
  data: { $$oid: "65f0c0ffee00000000000003" },
  deep: [{ x: { $numberLong: "9007199254740993" } }],
};

/** The document that it becomes, with the types of BSON. */
export const extendedStored = {
  _id: { $oid: "65f0c0ffee00000000000003" },
  at: { $date: { $numberLong: "1709208000000" } },
  price: { $numberDecimal: "12.50" },
  big: { $numberLong: "9007199254740991" },
  small: { $numberInt: "5" },
  half: { $numberDouble: "0.5" },
  uuid: { $binary: { base64: "oO68mZwLTvi7bWu5vTgKEQ==", subType: "04" } },
  data: { $oid: "65f0c0ffee00000000000003" },
  deep: [{ x: { $numberLong: "9007199254740993" } }],
};
