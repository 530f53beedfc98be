import { BSON } from "mongodb";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { mongodb } from "../../../runtime/features/actions/database/mongodb.ts";
import { ping } from "../../../runtime/features/actions/database.ts";
import {
  type DocumentArgs,
  type DocumentSource,
  document_operation,
  documentOptions,
  spec,
} from "../../../runtime/features/actions/document_operation.ts";
import { createHost } from "../../../runtime/process/host.ts";
import type { Json, JsonObject } from "../../../runtime/value/json.ts";
import { failure, runningAct } from "../../harness/database-run.ts";
import { type MongoPeer, mongoPeer } from "../../harness/peers/mongo-peer.ts";

const place = "app.things";

test("the options that the compiler knows are those that an operation may be given", () => {
  const [record] = spec.schema.properties?.options?.anyOf ?? [];
  expect(Object.keys(record?.properties ?? {}).toSorted()).toEqual([...documentOptions].toSorted());
});

describe("mongodb, against a peer that speaks its protocol", () => {
  let peer: MongoPeer;
  const hosts: ReturnType<typeof createHost>[] = [];
  const open = (settings: JsonObject) => {
    const host = createHost({ env: {} });
    hosts.push(host);
    const source: DocumentSource = { name: "main", driver: mongodb, settings: () => settings };
    const run = (args: Partial<DocumentArgs>): Promise<Json> =>
      document_operation(runningAct(host), source, { database: "app", collection: "things", operation: "find", ...args });
    return { host, source, run };
  };
  let main: ReturnType<typeof open>;
  const run = (args: Partial<DocumentArgs>): Promise<Json> => main.run(args);
  const [a, b] = ["65f0c0ffee00000000000001", "65f0c0ffee00000000000002"].map((hex) => new BSON.ObjectId(hex));

  beforeAll(async () => {
    peer = await mongoPeer();
    main = open({ conn_string: peer.address });
  });
  afterAll(async () => {
    await Promise.all(hosts.map((host) => host.close()));
    await peer.close();
  });
  beforeEach(() => {
    peer.plan.clear();
    peer.seen.length = 0;
    peer.collections.clear();
    peer.collections.set(place, [
      { _id: a, name: "one", n: 1, tags: ["x", "y"] },
      { _id: b, name: "two", n: 2, tags: ["y"] },
    ]);
  });
  const stored = (): Json => JSON.parse(BSON.EJSON.stringify(peer.collections.get(place) ?? [], { relaxed: true }));

  test.each<[Partial<DocumentArgs>, Json]>([
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
  ])("%j", async (args, expected) => {
    expect(await run(args)).toEqual(expected);
  });

  test("values of all types come as JSON", async () => {
    const types: Record<string, [unknown, Json]> = {
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
    const document = Object.fromEntries(Object.entries(types).map(([key, [value]]) => [key, value]));
    peer.collections.set(place, [JSON.parse('{"__proto__":1}'), document]);
    const [odd, found] = (await run({})) as [JsonObject, JsonObject];
    expect(JSON.stringify(odd)).toBe('{"__proto__":1}');
    expect(found).toEqual(Object.fromEntries(Object.entries(types).map(([key, [, json]]) => [key, json])));
  });

  test("values are typed where the configuration writes Extended JSON; a doubled $ is data", async () => {
    const insert = {
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
    await run({ operation: "insertOne", insert });
    const document = peer.collections.get(place)?.at(-1) ?? {};
    expect(BSON.EJSON.stringify(document, { relaxed: false })).toBe(
      JSON.stringify({
        _id: { $oid: "65f0c0ffee00000000000003" },
        at: { $date: { $numberLong: "1709208000000" } },
        price: { $numberDecimal: "12.50" },
        big: { $numberLong: "9007199254740991" },
        small: { $numberInt: "5" },
        half: { $numberDouble: "0.5" },
        uuid: { $binary: { base64: "oO68mZwLTvi7bWu5vTgKEQ==", subType: "04" } },
        data: { $oid: "65f0c0ffee00000000000003" },
        deep: [{ x: { $numberLong: "9007199254740993" } }],
      }),
    );
    // A value that is written as data has no type on the server.
    expect(document.data).not.toBeInstanceOf(BSON.ObjectId);
  });

  test.each<[Partial<DocumentArgs>, string]>([
    [{ filter: null }, "evaluation: field filter: expected object, got null"],
    [{ operation: "deleteMany", delete: null }, "evaluation: field delete: expected object, got null"],
    [{ operation: "aggregate", pipeline: {} }, "evaluation: field pipeline: expected array, got object"],
    [{ operation: "aggregate", pipeline: ["x"] }, "evaluation: field pipeline: expected object, got string"],
    [{ operation: "insertMany", insert: [1] }, "evaluation: field insert: expected object, got number"],
    [{ operation: "insertOne", insert: [{}, {}] }, "evaluation: field insert: expected object, got array"],
    [{ operation: "replaceOne", update: [{}] }, "evaluation: field update: expected object, got array"],
    [{ operation: "distinct" }, "evaluation: field options: distinct needs key, the name of a field"],
    [{ options: { session: 1 } }, "evaluation: field options: unknown option 'session'"],
    [{ collection: "" }, "evaluation: field collection: expected text"],
    [{ operation: "drop" }, "evaluation: field operation: unknown operation 'drop'"],
    [{ filter: { _id: { $oid: "abc" } } }, "evaluation: bad value of $oid"],
    [{ filter: { at: { $date: "yesterday" } } }, "evaluation: bad value of $date"],
    [{ filter: { x: { $nope: 1 } } }, "database: database: unknown operator: $nope"],
    [
      { operation: "insertOne", insert: { _id: { $oid: "65f0c0ffee00000000000001" } } },
      'database: database: E11000 duplicate key error collection: dup key: {"_id":{"$oid":"65f0c0ffee00000000000001"}}',
    ],
  ])("%j fails: %s", async (args, expected) => {
    expect(await failure(run(args))).toBe(expected);
  });

  test("nesting without end fails before it is sent", async () => {
    let filter: JsonObject = {};
    for (let i = 0; i < 200; i++) filter = { a: filter };
    expect(await failure(run({ filter }))).toBe("evaluation: the document is nested too deep");
    expect(peer.seen).toEqual([]);
  });

  test("an error of the server, and a cursor that spans several batches, are those of the driver", async () => {
    peer.plan.set("find", { error: { errmsg: "not authorized on app to execute command", code: 13, codeName: "Unauthorized" } });
    expect(await failure(run({}))).toBe("database: database: not authorized on app to execute command");
  });

  test("time runs out here and on the server; a cancelled run no longer waits", async () => {
    peer.plan.set("find", { wait: 4000 });
    const quick = open({ conn_string: peer.address, timeout: 1500 });
    expect(await failure(quick.run({}))).toBe("timeout: timed out after 1500ms");
    expect(Number(String(peer.seen[0]?.maxTimeMS))).toBeLessThanOrEqual(1500);
    const { host } = main;
    const act = runningAct(host);
    const waiting = failure(document_operation(act, main.source, { database: "app", collection: "things", operation: "find" }));
    setTimeout(() => act.run.cancel("gone"), 200);
    expect(await waiting).toBe("database: database: cancelled");
  });

  test("settings in parts, and the database of the connection string", async () => {
    const { port } = new URL(peer.address.replace("mongodb:", "http:"));
    const parts = open({ host: "127.0.0.1", port: Number(port), dbname: "app", params: { retryWrites: "false" }, max_open_conns: 2 });
    const { database: _, ...args } = { database: "app", collection: "things", operation: "countDocuments" };
    expect(await document_operation(runningAct(parts.host), parts.source, args)).toEqual({ count: 2 });
    await ping(parts.source, runningAct(parts.host).run);
    expect(stored()).toHaveLength(2);
  });

  test("out of reach: an error without the connection string, and service as soon as it is back", async () => {
    const away = open({
      conn_string: `${peer.address.replace("//", "//someone:s3cret@")}/?serverSelectionTimeoutMS=300&authMechanism=PLAIN`,
    });
    await peer.down();
    expect(await failure(away.run({}))).toMatch(/^database: database: connect ECONNREFUSED 127\.0\.0\.1:\d+$/);
    const again = open({ conn_string: `${peer.address}/?serverSelectionTimeoutMS=300` });
    expect(await failure(again.run({}))).toMatch(/ECONNREFUSED/);
    await peer.up();
    expect(await again.run({ operation: "estimatedDocumentCount" })).toEqual({ count: 2 });
    for (const broken of ["mongodb://someone:s3cret@[oops/db", "mysql://someone:s3cret@host/db", "s3cret"])
      expect(await failure(open({ conn_string: broken }).run({}))).not.toContain("s3cret");
    expect(await failure(open({ conn_string: null }).run({}))).toBe("database: database: conn_string is not set");
  });
});
