import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";

/** A span as a collector receives it. */
export interface Received {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string;
  readonly state: string;
  readonly name: string;
  readonly kind: number;
  readonly nanoseconds: bigint;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  readonly failed: boolean;
  readonly resource: Received["attributes"];
}

export interface Collector {
  readonly url: string;
  readonly spans: Received[];
  readonly requests: { readonly path: string; readonly headers: IncomingHttpHeaders }[];
  /** Status of the next answers; with 0 the collector never answers, and with 1 it sends a byte from time to time. */
  answer: number;
  readonly close: () => Promise<void>;
}

/** A collector on loopback that reads OTLP over HTTP as its schema says (opentelemetry/proto/trace/v1). */
export async function collector(port = 0): Promise<Collector> {
  const server = createServer((message, response) => {
    const chunks: Buffer[] = [];
    message.on("data", (chunk: Buffer) => chunks.push(chunk));
    message.on("end", () => {
      made.requests.push({ path: message.url ?? "", headers: message.headers });
      if (made.answer === 0) return;
      if (made.answer === 1) {
        const drip = setInterval(() => response.write(" "), 20);
        response.once("close", () => clearInterval(drip));
        return;
      }
      const body = Buffer.concat(chunks);
      if (made.answer === 200) made.spans.push(...spansOf(message.headers["content-encoding"] === "gzip" ? gunzipSync(body) : body));
      response.writeHead(made.answer).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const made: Collector = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: [],
    requests: [],
    answer: 200,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return made;
}

/** The fields of a message by number; a 64-bit number is a bigint, a field with a length is bytes. */
type Fields = ReadonlyMap<number, readonly (bigint | Buffer)[]>;

function fieldsOf(bytes: Buffer): Fields {
  const fields = new Map<number, (bigint | Buffer)[]>();
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes.readUInt8(at++);
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const take = (length: number): Buffer => {
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const wire = tag & 7;
    const value =
      wire === 0 ? varint() : wire === 1 ? take(8).readBigUInt64LE() : wire === 5 ? BigInt(take(4).readUInt32LE()) : take(Number(varint()));
    fields.set(tag >> 3, [...(fields.get(tag >> 3) ?? []), value]);
  }
  return fields;
}

const messages = (fields: Fields, number: number): Buffer[] => (fields.get(number) ?? []).filter((value) => Buffer.isBuffer(value));
const bytes = (fields: Fields, number: number): Buffer => messages(fields, number)[0] ?? Buffer.alloc(0);
const number = (fields: Fields, at: number): bigint => BigInt(fields.get(at)?.[0]?.toString() ?? 0);

function spansOf(request: Buffer): Received[] {
  return messages(fieldsOf(request), 1).flatMap((part) => {
    const ofResource = fieldsOf(part);
    const resource = attributesOf(messages(fieldsOf(bytes(ofResource, 1)), 1));
    return messages(ofResource, 2).flatMap((scope) => messages(fieldsOf(scope), 2).map((span) => spanOf(fieldsOf(span), resource)));
  });
}

function spanOf(fields: Fields, resource: Received["attributes"]): Received {
  return {
    traceId: bytes(fields, 1).toString("hex"),
    spanId: bytes(fields, 2).toString("hex"),
    state: bytes(fields, 3).toString(),
    parentId: bytes(fields, 4).toString("hex"),
    name: bytes(fields, 5).toString(),
    kind: Number(number(fields, 6)),
    nanoseconds: number(fields, 8) - number(fields, 7),
    attributes: attributesOf(messages(fields, 9)),
    failed: number(fieldsOf(bytes(fields, 15)), 3) === 2n,
    resource,
  };
}

function attributesOf(pairs: readonly Buffer[]): Received["attributes"] {
  return Object.fromEntries(
    pairs.map((pair) => {
      const fields = fieldsOf(pair);
      const value = fieldsOf(bytes(fields, 2));
      const text = messages(value, 1)[0]?.toString();
      return [bytes(fields, 1).toString(), text ?? (value.has(2) ? number(value, 2) === 1n : Number(number(value, 3)))];
    }),
  );
}
