import { describe, expect, test } from "vitest";
import { planTexts } from "../../../compiler/pipeline.ts";
import type { Expr } from "../../../runtime/plan/index.ts";
import type { Json, JsonObject } from "../../../runtime/value/json.ts";
import { evaluated } from "./lowering.ts";

// Holes of document_operation (spec/language 5.4.4): what data may be in each field, and what becomes of it.

/** The arguments of an operation, as the plan has them. */
function planned(operation: string, fields: JsonObject): Expr {
  const config = {
    name: "t",
    global: {
      databases: { mongo: { driver: "mongodb", conn_string: "mongodb://localhost" } },
      variables: { QUERY: '{"a":{"$gt":1}}', ANY: ".*" },
    },
    interfaces: {
      t: { method: "POST", actions: [{ name: "A", database: "mongo", document_operation: { collection: "c", operation, ...fields } }] },
    },
  };
  const { plans, diagnostics, failed } = planTexts([{ file: "t.yml", text: JSON.stringify(config) }]);
  expect([failed, diagnostics]).toEqual([false, []]);
  const [op] = plans[0]?.interfaces[0]?.actions[0]?.ops ?? [];
  if (op?.op !== "query") throw new Error("no operation");
  return op.args;
}

const body = {
  text: "plain",
  dotted: "a.b*",
  dollar: "$password",
  number: 5,
  list: ["a", { b: 1 }],
  object: { a: { b: 1 } },
  operator: { $ne: null },
  deep: { a: [{ $where: "1" }] },
  typed: { $oid: "65f0c0ffee00000000000001" },
  json: '{"a":1}',
  jsonOperator: '{"a":{"$gt":0}}',
  operatorKey: "$where",
  positional: "a.$[]",
};
const world = { body, vars: { QUERY: '{"a":{"$gt":1}}', ANY: ".*" } };

const run = (operation: string, fields: JsonObject): Json => {
  const args = evaluated(planned(operation, fields), world);
  const [field = ""] = Object.keys(fields);
  return (args as JsonObject)[field] ?? null;
};

describe("data in documents", () => {
  test.each<[string, JsonObject, Json]>([
    ["find", { filter: { a: "a|body::text|", b: "x-a|body::dollar|", c: "a|body::number|" } }, { a: "plain", b: "x-$password", c: 5 }],
    [
      "find",
      { filter: { a: "a|body::dollar|", b: "a|body::object|", c: "a|body::list|" } },
      { a: "$password", b: { a: { b: 1 } }, c: ["a", { b: 1 }] },
    ],
    ["find", { filter: { a: "a|body::gone|" } }, { a: null }],
    ["find", { filter: { _id: { $oid: "a|body::text|" }, n: { $gte: "a|body::number|" } } }, { _id: { $oid: "plain" }, n: { $gte: 5 } }],
    ["find", { filter: '{ "a": "a|body::text|", "n": a|body::number| }' }, { a: "plain", n: 5 }],
    ["find", { filter: "a|body::object|" }, { a: { b: 1 } }],
    ["find", { filter: "a|body::json|" }, { a: 1 }],
    ["find", { filter: "a|var::QUERY|" }, { a: { $gt: 1 } }],
    ["find", { filter: { "x.a|body::text|": 1 } }, { "x.plain": 1 }],
    ["find", { filter: "a|body::gone|" }, null],
    ["aggregate", { pipeline: [{ $match: { a: "a|body::dollar|" } }] }, [{ $match: { a: "$password" } }]],
    ["aggregate", { pipeline: [{ $project: { a: "$a|body::text|", b: "x$" } }] }, [{ $project: { a: "$plain", b: "x$" } }]],
    ["aggregate", { pipeline: [{ $project: { a: { $literal: "a|body::dollar|" } } }] }, [{ $project: { a: { $literal: "$password" } } }]],
    ["updateOne", { update: { $set: { a: "a|body::dollar|" } }, filter: {} }, { $set: { a: "$password" } }],
    [
      "insertOne",
      { insert: { a: "a|body::typed|", b: { $oid: "a|body::text|" } } },
      { a: { $$oid: "65f0c0ffee00000000000001" }, b: { $oid: "plain" } },
    ],
    ["insertOne", { insert: { a: "a|body::deep|" } }, { a: { a: [{ $$where: "1" }] } }],
    ["insertOne", { insert: { $$a: { $$b: 1 }, c: "a|body::text|" } }, { $$$a: { $$$b: 1 }, c: "plain" }],
    ["insertOne", { insert: { $$a: 1 } }, { $$$a: 1 }],
    ["insertMany", { insert: "a|body::list|" }, ["a", { b: 1 }]],
  ])("%s %j", (operation, fields, expected) => {
    expect(run(operation, fields)).toEqual(expected);
  });

  test.each<[string, JsonObject, Json]>([
    ["find", { filter: { a: { $regex: "^a|body::dotted|$" } } }, { a: { $regex: "^a\\.b\\*$" } }],
    ["find", { filter: '{ "a": { "$regex": "^a|body::dotted|" } }' }, { a: { $regex: "^a\\.b\\*" } }],
    ["find", { filter: { a: { $regex: "a|body::dotted|" } } }, { a: { $regex: "a.b*" } }],
    ["find", { filter: { a: { $regex: "a|body::dotted|a|body::text|" } } }, { a: { $regex: "a\\.b\\*plain" } }],
    ["find", { filter: { a: { $regex: "^a|var::ANY|a|body::dotted|" } } }, { a: { $regex: "^.*a\\.b\\*" } }],
    [
      "find",
      { filter: { a: { $regularExpression: { pattern: "^a|body::dotted|", options: "i" } } } },
      { a: { $regularExpression: { pattern: "^a\\.b\\*", options: "i" } } },
    ],
    [
      "aggregate",
      { pipeline: [{ $project: { a: { $regexMatch: { input: "$a", regex: "^a|body::dotted|" } } } }] },
      [{ $project: { a: { $regexMatch: { input: "$a", regex: "^a\\.b\\*" } } } }],
    ],
    ["find", { filter: { $where: "this.a == a|var::ANY|" } }, { $where: "this.a == .*" }],
    [
      "find",
      { filter: { $expr: { $function: { body: "x", args: ["a|body::text|"], lang: "js" } } } },
      { $expr: { $function: { body: "x", args: ["plain"], lang: "js" } } },
    ],
    ["insertOne", { insert: { $where: "a|body::text|" } }, { $where: "plain" }],
  ])("%s %j is kept from the pattern", (operation, fields, expected) => {
    expect(run(operation, fields)).toEqual(expected);
  });

  test.each<[string, JsonObject, string]>([
    ["find", { filter: { a: "a|body::operator|" } }, "operator key '$ne' in data"],
    ["find", { filter: { a: { $in: ["a|body::deep|"] } } }, "operator key '$where' in data"],
    ["find", { filter: '{ "a": a|body::operator| }' }, "operator key '$ne' in data"],
    ["find", { filter: "a|body::operator|" }, "operator key '$ne' in data"],
    ["find", { filter: "a|body::jsonOperator|" }, "operator key '$gt' in data"],
    ["find", { filter: "a|body::text|" }, "filter document: expected JSON"],
    ["find", { filter: { a: "a|body::typed|" } }, "operator key '$oid' in data"],
    ["find", { filter: { "a|body::operatorKey|": "1" } }, "operator key '$where' in data"],
    ["find", { filter: { $expr: { $eq: ["$a", "a|body::dollar|"] } } }, "field reference '$password' in data"],
    ["find", { options: { projection: { a: "a|body::dollar|" } } }, "field reference '$password' in data"],
    ["deleteMany", { delete: { a: "a|body::operator|" } }, "operator key '$ne' in data"],
    ["updateOne", { update: { $set: { a: "a|body::deep|" } }, filter: {} }, "operator key '$where' in data"],
    ["updateOne", { update: { $set: { "a|body::positional|": 1 } }, filter: {} }, "operator key 'a.$[]' in data"],
    ["updateOne", { update: [{ $set: { a: "a|body::dollar|" } }], filter: {} }, "field reference '$password' in data"],
    ["aggregate", { pipeline: [{ $match: { a: "a|body::operator|" } }] }, "operator key '$ne' in data"],
    ["aggregate", { pipeline: [{ $match: { $expr: { $eq: ["$a", "a|body::dollar|"] } } }] }, "field reference '$password' in data"],
    ["aggregate", { pipeline: [{ $project: { a: "a|body::dollar|" } }] }, "field reference '$password' in data"],
    ["aggregate", { pipeline: [{ $group: { _id: ["a|body::dollar|"] } }] }, "field reference '$password' in data"],
    ["aggregate", { pipeline: '[{ "$project": { "a": "a|body::dollar|" } }]' }, "field reference '$password' in data"],
    ["insertOne", { insert: { "a|body::operatorKey|": 1 } }, "operator key '$where' in data"],
  ])("%s %j is refused: %s", (operation, fields, message) => {
    expect(() => run(operation, fields)).toThrow(message);
  });
});
