import { BSON, MongoClient } from "mongodb";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { mongodb } from "#runtime/features/actions/database/mongodb.ts";
import { ping } from "#runtime/features/actions/database.ts";
import { type DocumentArgs, type DocumentSource, document_operation } from "#runtime/features/actions/document_operation.ts";
import { createHost } from "#runtime/process/host.ts";
import type { Json, JsonObject } from "#runtime/value/json.ts";
import { failure, runningAct } from "../../harness/database-run.ts";
import { mongoServer } from "../../harness/peers/mongo-server.ts";
import { documents, extendedInsert, extendedStored, operationCases, typeCases } from "./document-cases.ts";

describe.runIf(mongoServer !== undefined)("mongodb, against a server", () => {
  const address = mongoServer ?? "mongodb://127.0.0.1:9";
  const database = `pipewright_test_${process.pid}`;
  const client = new MongoClient(address, { promoteValues: false, bsonRegExp: true });
  const stored = client.db(database).collection("things");
  const host = createHost({ env: {} });
  const source: DocumentSource = { name: "main", driver: mongodb, settings: () => ({ conn_string: address }) };
  const run = (args: Partial<DocumentArgs>): Promise<Json> =>
    document_operation(runningAct(host), source, { database, collection: "things", operation: "find", ...args });

  beforeAll(async () => {
    await client.connect();
  });
  afterAll(async () => {
    await host.close();
    await client.db(database).dropDatabase();
    await client.close();
  });
  beforeEach(async () => {
    await stored.deleteMany({});
    await stored.insertMany(documents());
  });

  /** Updates by a pipeline are not known to every server that speaks the protocol: then the driver alone fails, too. */
  const takesPipelines = async (): Promise<boolean> => {
    try {
      await client
        .db(database)
        .collection("probe")
        .updateOne({}, [{ $set: { n: 1 } }]);
      return true;
    } catch {
      return false;
    }
  };

  test.each(operationCases)("%j", async (args, expected) => {
    if (Array.isArray(args.update) && !(await takesPipelines())) {
      console.log("skipped: this server knows no pipelines of updates");
      return;
    }
    expect(await run(args)).toEqual(expected);
  });

  test("values of all types come as JSON", async () => {
    await stored.deleteMany({});
    await stored.insertOne(Object.fromEntries(Object.entries(typeCases).map(([key, [value]]) => [key, value])));
    const [found] = (await run({ options: { projection: { _id: 0 } } })) as [JsonObject];
    expect(found).toEqual(Object.fromEntries(Object.entries(typeCases).map(([key, [, json]]) => [key, json])));
  });

  test("values are typed where the configuration writes Extended JSON; a doubled $ is data", async () => {
    await run({ operation: "insertOne", insert: extendedInsert });
    const document = await stored.findOne({ _id: new BSON.ObjectId("65f0c0ffee00000000000003") });
    expect(BSON.EJSON.stringify(document, { relaxed: false })).toBe(JSON.stringify(extendedStored));
  });

  test("a list longer than a batch comes whole", async () => {
    await stored.insertMany(Array.from({ length: 500 }, (_, n) => ({ n, text: "x".repeat(200) })));
    const found = await run({ filter: { text: { $exists: true } }, options: { sort: { n: 1 }, projection: { _id: 0, n: 1 } } });
    expect(found).toEqual(Array.from({ length: 500 }, (_, n) => ({ n })));
  });

  test.each<[Partial<DocumentArgs>, RegExp]>([
    [{ filter: { x: { $nope: 1 } } }, /^database: database: unknown operator: \$nope/],
    [
      { operation: "insertOne", insert: { _id: { $oid: "65f0c0ffee00000000000001" } } },
      /^database: database: E11000 duplicate key error collection: /,
    ],
    [{ operation: "aggregate", pipeline: [{ $nope: {} }] }, /^database: database: Unrecognized pipeline stage name: '\$nope'/],
  ])("%j fails as the server says", async (args, expected) => {
    expect(await failure(run(args))).toMatch(expected);
  });

  test("a server that is there answers to ping, and a login that it does not know fails without the password", async () => {
    await ping(source, runningAct(host).run);
    const other = { ...source, name: "other", settings: () => ({ conn_string: address.replace("//", "//someone:s3cret@") }) };
    const outcome = await failure(
      document_operation(runningAct(host), other, { database, collection: "things", operation: "estimatedDocumentCount" }),
    );
    expect(outcome).toMatch(/^database: database: /);
    expect(outcome).not.toContain("s3cret");
  });
});
