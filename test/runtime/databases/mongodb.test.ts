import { type AddressInfo, createServer } from "node:net";
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
import { documents, extendedInsert, extendedStored, operationCases, typeCases } from "./document-cases.ts";

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
    peer.collections.set(place, documents());
  });
  const stored = (): Json => JSON.parse(BSON.EJSON.stringify(peer.collections.get(place) ?? [], { relaxed: true }));

  test.each(operationCases)("%j", async (args, expected) => {
    expect(await run(args)).toEqual(expected);
  });

  test("values of all types come as JSON", async () => {
    const document = Object.fromEntries(Object.entries(typeCases).map(([key, [value]]) => [key, value]));
    peer.collections.set(place, [JSON.parse('{"__proto__":1}'), document]);
    const [odd, found] = (await run({})) as [JsonObject, JsonObject];
    expect(JSON.stringify(odd)).toBe('{"__proto__":1}');
    expect(found).toEqual(Object.fromEntries(Object.entries(typeCases).map(([key, [, json]]) => [key, json])));
  });

  test("values are typed where the configuration writes Extended JSON; a doubled $ is data", async () => {
    await run({ operation: "insertOne", insert: extendedInsert });
    const document = peer.collections.get(place)?.at(-1) ?? {};
    expect(BSON.EJSON.stringify(document, { relaxed: false })).toBe(JSON.stringify(extendedStored));
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
      conn_string: `${peer.address.replace("//", "//someone:s3cret@")}/?serverSelectionTimeoutMS=1500&authMechanism=PLAIN`,
    });
    await peer.down();
    expect(await failure(away.run({}))).toMatch(/^database: database: connect ECONNREFUSED 127\.0\.0\.1:\d+$/);
    const again = open({ conn_string: `${peer.address}/?serverSelectionTimeoutMS=1500` });
    expect(await failure(again.run({}))).toMatch(/ECONNREFUSED/);
    await peer.up();
    expect(await again.run({ operation: "estimatedDocumentCount" })).toEqual({ count: 2 });
    for (const broken of ["mongodb://someone:s3cret@[oops/db", "mysql://someone:s3cret@host/db", "s3cret"])
      expect(await failure(open({ conn_string: broken }).run({}))).not.toContain("s3cret");
    expect(await failure(open({ conn_string: null }).run({}))).toBe("database: database: conn_string is not set");
  });

  const header = Buffer.from([16, 0, 0, 0, ...Array<number>(12).fill(1)]);
  test.each<[string, Buffer, RegExp]>([
    ["zeros", Buffer.alloc(16), /message of 0 bytes, which is none of MongoDB$/],
    ["a size of 15", Buffer.from([15, 0, 0, 0, ...Array<number>(12).fill(0)]), /message of 15 bytes/],
    ["a negative size", Buffer.alloc(64, 255), /message of -1 bytes/],
    ["another protocol", Buffer.from("220 mail.example.com ESMTP\r\n"), /message of \d+ bytes/],
    ["empty messages", Buffer.concat(Array<Buffer>(64).fill(header)), /^database: /],
  ])("a stranger in the place of the server that sends %s is an error", async (_, bytes, expected) => {
    const answeredBy = async (first: boolean): Promise<void> => {
      const stranger = createServer((socket) => {
        socket.on("error", () => undefined);
        if (first) socket.write(bytes);
        else socket.once("data", () => socket.write(bytes));
      });
      await new Promise<void>((resolve) => stranger.listen(0, "127.0.0.1", resolve));
      const { port } = stranger.address() as AddressInfo;
      // The driver says what it has got when its time is over, which has to be long enough for a busy machine.
      const { run } = open({ conn_string: `mongodb://127.0.0.1:${port}/?serverSelectionTimeoutMS=1500` });
      expect(await failure(run({}))).toMatch(expected);
      stranger.close();
    };
    await Promise.all([answeredBy(true), answeredBy(false)]);
  });
});
