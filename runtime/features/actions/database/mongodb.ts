import type { Collection, Document, MongoClient, MongoClientOptions } from "mongodb";
import { longestWait } from "../../../value/duration.ts";
import { Failure } from "../../../value/failure.ts";
import type { Json, JsonObject } from "../../../value/json.ts";
import { string } from "../../../value/values.ts";
import type { DriverFeature } from "../../feature.ts";
import type { QueryLimits } from "../database.ts";
import type { DocumentConnection, DocumentDriver, DocumentRequest } from "../document_operation.ts";
import { fromBson, type Types, toBson } from "./bson.ts";
import { checkedConnections } from "./mongodb-connection.ts";
import { connectionString, type Settings } from "./settings.ts";

/** MongoDB by its own driver, which is loaded when the first operation asks for a connection. */
export const mongodb: DocumentDriver = {
  name: "mongodb",
  speaks: "documents",
  identity: (settings) => JSON.stringify(settings),
  open: (settings) => new MongoConnection(settings, connectionString(settings, ["mongodb://", "mongodb+srv://"])),
};

export const spec: DriverFeature = {
  summary: "MongoDB.",
  schemes: ["mongodb", "mongodb+srv"],
  settings: { auth_source: { type: "string", description: "Database that knows the user (MongoDB)." } },
  driver: mongodb,
};

/** Milliseconds after which an operation counts as long, and is watched for the end of its run. */
const patience = 100;

/** Milliseconds that a primary is looked for: an election takes less. */
const searching = 10_000;

/** The objects that exist once the package has been loaded. */
interface Loaded {
  readonly client: MongoClient;
  readonly types: Types;
}

class MongoConnection implements DocumentConnection {
  readonly #settings: Settings;
  readonly #address: string;
  #loaded: Promise<Loaded> | undefined;

  constructor(settings: Settings, address: string) {
    this.#settings = settings;
    this.#address = address;
  }

  /**
   * Performs an operation. The server gets the time limit. When the run is cancelled, we stop waiting, and whether a write has happened is
   * unknown.
   */
  async perform(request: DocumentRequest, limits: QueryLimits): Promise<Json> {
    const timeout = limits.timeout ?? this.#settings.timeout;
    const reading = new AbortController();
    const done = this.#load().then((loaded) => performed(request, loaded, { maxTimeMS: timeout, signal: reading.signal }));
    return watched(done, reading, timeout, limits);
  }

  async ping(): Promise<void> {
    const { client } = await this.#load();
    await client.db().command({ ping: 1, maxTimeMS: Math.min(5000, this.#settings.timeout) });
  }

  async close(): Promise<void> {
    const loaded = await this.#loaded?.catch(() => undefined);
    await loaded?.client.close();
  }

  #load(): Promise<Loaded> {
    this.#loaded ??= this.#open().catch((error: unknown) => {
      // A client that could not connect never will, so the next operation makes another one.
      this.#loaded = undefined;
      throw error;
    });
    return this.#loaded;
  }

  async #open(): Promise<Loaded> {
    const { MongoClient, BSON } = await import("mongodb");
    const options = { ...clientOptions(this.#settings, this.#address), connectionType: await checkedConnections() };
    const client = new MongoClient(this.#address, options);
    try {
      await client.connect();
    } catch (error) {
      await client.close();
      throw error;
    }
    return { client, types: BSON };
  }
}

/** Translates `Settings` into options of the driver. An option that the connection string already has is left to it. */
function clientOptions({ max_open_conns, conn_max_lifetime, given, timeout }: Settings, address: string): MongoClientOptions {
  const auth_source = string(given.auth_source ?? null);
  const says = (option: string): boolean => new RegExp(`[?&]${option}=`, "i").test(address);
  return {
    ...(says("maxPoolSize") ? {} : { maxPoolSize: max_open_conns }),
    ...(conn_max_lifetime === null ? {} : { maxIdleTimeMS: conn_max_lifetime }),
    ...(auth_source === null ? {} : { authSource: auth_source }),
    ...(says("serverSelectionTimeoutMS") ? {} : { serverSelectionTimeoutMS: Math.min(searching, timeout) }),
    ...(says("connectTimeoutMS") ? {} : { connectTimeoutMS: Math.min(searching, timeout) }),
    // Whole numbers keep their digits; patterns and bytes come as they are.
    ...{ useBigInt64: true, bsonRegExp: true },
  };
}

interface Bounds {
  readonly maxTimeMS: number;
  readonly signal: AbortSignal;
}

/** Calls the driver; the shapes of the results are those of spec/language 5.4.4. */
async function performed(request: DocumentRequest, { client, types }: Loaded, { maxTimeMS, signal }: Bounds): Promise<Json> {
  const { operation, filter: condition, pipeline, insert, update: change, options: settings } = request;
  const collection: Collection<Document> = client.db(request.database).collection(request.collection);
  const bson = (document: JsonObject): Document => toBson(document, types) as Document; // an object stays one
  const filter = bson(condition);
  const update = Array.isArray(change) ? change.map(bson) : bson(change as JsonObject);
  const { key, ...rest } = settings;
  const options = { ...bson(rest), maxTimeMS };
  switch (operation) {
    case "find":
      return fromBson(await collection.find(filter, { ...options, signal }).toArray());
    case "aggregate":
      return fromBson(await collection.aggregate(pipeline.map(bson), { ...options, signal }).toArray());
    case "distinct":
      if (typeof key !== "string") throw new Failure("evaluation", "field options: distinct needs key, the name of a field");
      return fromBson(await collection.distinct(key, filter, options));
    case "findOne":
      return fromBson(await collection.findOne(filter, { ...options, signal }));
    case "findOneAndUpdate":
      return fromBson(await collection.findOneAndUpdate(filter, update, options));
    case "findOneAndReplace":
      return fromBson(await collection.findOneAndReplace(filter, single(update), options));
    case "findOneAndDelete":
      return fromBson(await collection.findOneAndDelete(filter, options));
    case "insertOne":
      return { inserted_id: fromBson((await collection.insertOne(bson(only(insert)), options)).insertedId) };
    case "insertMany": {
      const { insertedIds, insertedCount } = await collection.insertMany(insert.map(bson), options);
      return { inserted_ids: fromBson(Object.values(insertedIds)), inserted_count: insertedCount };
    }
    case "updateOne":
      return updated(await collection.updateOne(filter, update, options));
    case "updateMany":
      return updated(await collection.updateMany(filter, update, options));
    case "replaceOne":
      return updated(await collection.replaceOne(filter, single(update), options));
    case "deleteOne":
      return { deleted: (await collection.deleteOne(filter, options)).deletedCount };
    case "deleteMany":
      return { deleted: (await collection.deleteMany(filter, options)).deletedCount };
    case "countDocuments":
      return { count: await collection.countDocuments(filter, { ...options, signal }) };
    case "estimatedDocumentCount":
      return { count: await collection.estimatedDocumentCount(options) };
  }
}

interface Updated {
  readonly matchedCount: number;
  readonly modifiedCount: number;
  readonly upsertedId: unknown;
}

function updated({ matchedCount, modifiedCount, upsertedId }: Updated): Json {
  return { matched_count: matchedCount, modified_count: modifiedCount, upserted_id: fromBson(upsertedId) };
}

function single(update: Document | Document[]): Document {
  if (Array.isArray(update)) throw new Failure("evaluation", "field update: expected object, got array");
  return update;
}

function only([document, second]: readonly JsonObject[]): JsonObject {
  if (document === undefined || second !== undefined) throw new Failure("evaluation", "field insert: expected object, got array");
  return document;
}

/** Waits for an operation until its time is up or its run is cancelled. */
function watched(done: Promise<Json>, reading: AbortController, timeout: number, limits: QueryLimits): Promise<Json> {
  const { promise, resolve, reject } = Promise.withResolvers<Json>();
  let signal: AbortSignal | undefined;
  const stop = (why: Failure): void => {
    reject(why);
    reading.abort();
  };
  const cancel = (): void => stop(new Failure("database", "database: cancelled"));
  const expire = (): void => stop(new Failure("timeout", `timed out after ${timeout}ms`));
  let timer = setTimeout(
    () => {
      if (timeout <= patience) return expire();
      timer = setTimeout(expire, Math.min(timeout - patience, longestWait));
      signal = limits.signal?.();
      signal?.addEventListener("abort", cancel);
      if (signal?.aborted) cancel();
    },
    Math.min(timeout, patience),
  );
  const end = (): void => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", cancel);
  };
  done.finally(end).then(resolve, (error: unknown) => (isLate(error) ? expire() : reject(error)));
  return promise;
}

/** The server has run out of time. */
function isLate(error: unknown): boolean {
  return error instanceof Error && "codeName" in error && error.codeName === "MaxTimeMSExpired";
}
