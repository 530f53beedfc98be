import { type AddressInfo, createServer, type Socket } from "node:net";
import { BSON } from "mongodb";
import { aggregated, change, type Doc, matches, projected, sorted } from "./document-store.ts";

/**
 * A peer that speaks the wire protocol of MongoDB (OP_MSG, and OP_QUERY for the first hello), with collections in memory. It replaces a
 * server on machines without one: the requests of our driver are real, and the answers follow the documentation. The same cases run on a
 * real server where there is one (mongo-server.ts).
 */
export interface MongoPeer {
  readonly address: string;
  readonly collections: Map<string, Doc[]>;
  /** Every command but those of the connection, in order. */
  readonly seen: Doc[];
  /** Planned results by command name: the next such command fails with an error, or waits for these milliseconds. */
  readonly plan: Map<string, { readonly error?: Doc; readonly wait?: number }>;
  /** Breaks all connections off, and refuses new ones until `up`. */
  readonly down: () => Promise<void>;
  readonly up: () => Promise<void>;
  readonly close: () => Promise<void>;
}

const read = (bytes: Buffer): Doc => BSON.deserialize(bytes, { promoteValues: false, bsonRegExp: true });

export async function mongoPeer(): Promise<MongoPeer> {
  const collections: MongoPeer["collections"] = new Map();
  const seen: Doc[] = [];
  const plan: MongoPeer["plan"] = new Map();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => undefined);
    socket.on(
      "data",
      messages((id, opCode, body) => void answer(socket, id, opCode, body)),
    );
  });

  async function answer(socket: Socket, id: number, opCode: number, body: Buffer): Promise<void> {
    const command = opCode === 2013 ? commandOf(body) : read(body.subarray(body.indexOf(0, 4) + 9));
    const [name = ""] = Object.keys(command);
    const { error, wait } = plan.get(name) ?? {};
    if (!/^(?:hello|ismaster|endSessions|killCursors)$/i.test(name)) seen.push(command);
    if (wait !== undefined) await new Promise((resolve) => setTimeout(resolve, wait));
    const reply = error === undefined ? performed(name, command, collections) : { ok: 0, ...error };
    const bytes = Buffer.from(BSON.serialize(reply));
    if (!socket.destroyed)
      socket.write(opCode === 2013 ? framed(id, 2013, Buffer.from([0, 0, 0, 0, 0]), bytes) : framed(id, 1, legacyReply(), bytes));
  }

  const listen = (port: number): Promise<void> => new Promise((resolve) => server.listen(port, "127.0.0.1", resolve));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  return { address: `mongodb://127.0.0.1:${port}`, collections, seen, plan, down: stop, up: () => listen(port), close: stop };
}

/** Splits a stream into messages. The header has the length, the id of the message, the id of the answered message, and the opcode. */
function messages(each: (id: number, opCode: number, body: Buffer) => void): (chunk: Buffer) => void {
  let left = Buffer.alloc(0);
  return (chunk) => {
    left = Buffer.concat([left, chunk]);
    while (left.length >= 16 && left.length >= left.readInt32LE(0)) {
      const length = left.readInt32LE(0);
      each(left.readInt32LE(4), left.readInt32LE(12), Buffer.from(left.subarray(16, length)));
      left = left.subarray(length);
    }
  };
}

/** The command of an OP_MSG: flags, the command, and possibly lists of documents that belong to it. */
function commandOf(body: Buffer): Doc {
  const command: Doc = {};
  for (let offset = 4; offset < body.length; ) {
    const kind = body.readUInt8(offset);
    const length = body.readInt32LE(offset + 1);
    const section = body.subarray(offset + 1, offset + 1 + length);
    if (kind === 0) Object.assign(command, read(section));
    else {
      const end = section.indexOf(0, 4);
      const documents: Doc[] = [];
      for (let at = end + 1; at < length; at += section.readInt32LE(at))
        documents.push(read(section.subarray(at, at + section.readInt32LE(at))));
      command[section.toString("utf8", 4, end)] = documents;
    }
    offset += 1 + length;
  }
  return command;
}

function framed(id: number, opCode: number, ...parts: readonly Buffer[]): Buffer {
  const header = Buffer.alloc(16);
  header.writeInt32LE(16 + parts.reduce((sum, part) => sum + part.length, 0), 0);
  header.writeInt32LE(id, 8);
  header.writeInt32LE(opCode, 12);
  return Buffer.concat([header, ...parts]);
}

/** The header of an OP_REPLY: flags, cursor, position, and one document. */
function legacyReply(): Buffer {
  const head = Buffer.alloc(20);
  head.writeInt32LE(1, 16);
  return head;
}

const list = (value: unknown): Doc[] => (Array.isArray(value) ? value : []);
const number = (value: unknown): number => Number(String(value ?? 0));

function performed(name: string, command: Doc, collections: MongoPeer["collections"]): Doc {
  try {
    return { ok: 1, ...result(name, command, collections) };
  } catch (error) {
    return { ok: 0, errmsg: error instanceof Error ? error.message : String(error), code: 2, codeName: "BadValue" };
  }
}

function result(name: string, command: Doc, collections: MongoPeer["collections"]): Doc {
  const place = `${command.$db}.${command[name]}`;
  const documents = collections.get(place) ?? [];
  const store = (changed: Doc[]): void => void collections.set(place, changed);
  const cursor = (firstBatch: Doc[]): Doc => ({ cursor: { id: BSON.Long.ZERO, ns: place, firstBatch } });
  switch (name) {
    case "hello":
    case "ismaster":
    case "isMaster":
      return {
        ...{
          isWritablePrimary: true,
          ismaster: true,
          maxBsonObjectSize: 16_777_216,
          maxMessageSizeBytes: 48_000_000,
          maxWriteBatchSize: 100_000,
        },
        ...{ minWireVersion: 0, maxWireVersion: 25, localTime: new Date(), readOnly: false, helloOk: true },
      };
    case "find": {
      const found = sorted(
        documents.filter((one) => matches(one, (command.filter ?? {}) as Doc)),
        (command.sort ?? {}) as Doc,
      );
      const from = number(command.skip);
      const limited = found.slice(from, command.limit === undefined ? undefined : from + number(command.limit));
      return cursor(limited.map((one) => projected(one, (command.projection ?? {}) as Doc)));
    }
    case "aggregate":
      return cursor(aggregated(documents, list(command.pipeline)));
    case "distinct":
      return {
        values: distinct(
          documents.filter((one) => matches(one, (command.query ?? {}) as Doc)),
          String(command.key),
        ),
      };
    case "count":
      return { n: documents.filter((one) => matches(one, (command.query ?? {}) as Doc)).length };
    case "insert":
      return inserted(documents, list(command.documents), store);
    case "update":
      return updated(documents, list(command.updates), store);
    case "delete":
      return { n: list(command.deletes).reduce((sum, one) => sum + deleted(collections, place, one), 0) };
    case "findAndModify":
      return modified(documents, command, store);
    case "ping":
    case "endSessions":
    case "killCursors":
      return {};
    default:
      throw new Error(`no such command: '${name}'`);
  }
}

function distinct(documents: readonly Doc[], key: string): unknown[] {
  const values = documents.flatMap((one) => one[key] ?? []);
  return [...new Map(values.map((value) => [BSON.EJSON.stringify({ value }), value])).values()];
}

function inserted(documents: readonly Doc[], added: readonly Doc[], store: (changed: Doc[]) => void): Doc {
  const ids = new Set(documents.map(({ _id }) => BSON.EJSON.stringify({ _id })));
  const index = added.findIndex(({ _id }) => ids.has(BSON.EJSON.stringify({ _id })));
  if (index >= 0) {
    const errmsg = `E11000 duplicate key error collection: dup key: ${BSON.EJSON.stringify({ _id: added[index]?._id })}`;
    return { n: 0, writeErrors: [{ index, code: 11_000, errmsg }] };
  }
  store([...documents, ...added]);
  return { n: added.length };
}

function updated(documents: Doc[], updates: readonly Doc[], store: (changed: Doc[]) => void): Doc {
  let [n, nModified] = [0, 0];
  const upserted: Doc[] = [];
  for (const { q, u, multi, upsert } of updates) {
    const found = documents.filter((one) => matches(one, q as Doc)).slice(0, multi === true ? undefined : 1);
    for (const one of found) {
      const before = BSON.EJSON.stringify(one);
      change(one, u as Doc);
      if (BSON.EJSON.stringify(one) !== before) nModified += 1;
    }
    n += found.length;
    if (found.length > 0 || upsert !== true) continue;
    const made: Doc = { _id: new BSON.ObjectId(), ...(q as Doc) };
    change(made, u as Doc);
    store([...documents, made]);
    upserted.push({ index: upserted.length, _id: made._id });
    n += 1;
  }
  return { n, nModified, ...(upserted.length === 0 ? {} : { upserted }) };
}

function deleted(collections: MongoPeer["collections"], place: string, { q, limit }: Doc): number {
  const documents = collections.get(place) ?? [];
  const found = documents.filter((one) => matches(one, q as Doc)).slice(0, number(limit) === 1 ? 1 : undefined);
  collections.set(
    place,
    documents.filter((one) => !found.includes(one)),
  );
  return found.length;
}

function modified(documents: Doc[], command: Doc, store: (changed: Doc[]) => void): Doc {
  const [found] = sorted(
    documents.filter((one) => matches(one, (command.query ?? {}) as Doc)),
    (command.sort ?? {}) as Doc,
  );
  const shown = (value: Doc | undefined): Doc => ({ value: value === undefined ? null : projected(value, (command.fields ?? {}) as Doc) });
  if (found === undefined) {
    if (command.upsert !== true) return shown(undefined);
    const made: Doc = { _id: new BSON.ObjectId(), ...((command.query ?? {}) as Doc) };
    change(made, command.update as Doc);
    store([...documents, made]);
    return shown(command.new === true ? made : undefined);
  }
  if (command.remove === true) {
    store(documents.filter((one) => one !== found));
    return shown(found);
  }
  const before = copied(found);
  change(found, command.update as Doc);
  return shown(command.new === true ? found : before);
}

const copied = (document: Doc): Doc => read(Buffer.from(BSON.serialize(document)));
