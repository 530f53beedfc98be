import { isAscii, isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import type { Limits } from "../../host.ts";
import type { Json } from "../../json.ts";
import { parseForm } from "../../lib/form.ts";
import { contentEncoding, inflate } from "../../lib/inflate.ts";
import { parseJson, parseJsonLines } from "../../lib/json-text.ts";
import { type BodyKind, bodyKind } from "../../lib/media-type.ts";
import { receiveFormData } from "./form-data.ts";
import { type Refusal, refusals } from "./refusal.ts";

/** Limits of a body; the size holds before and after it is inflated. */
export type BodyLimits = Pick<Limits, "maxBodyBytes" | "maxParts">;

/** A request body: as it was sent, and what it means (surfaces.md 1). */
export interface Received {
  readonly bytes: Buffer;
  readonly value: Json;
}

/** What a request without a body, or with an empty one, has received. */
const nothing: Received = { bytes: Buffer.alloc(0), value: null };

/** Reads and parses the body; calls back once, unless the client goes away first. */
export function receive(message: IncomingMessage, limits: BodyLimits, done: (received: Received | Refusal) => void): void {
  if (!hasBody(message)) {
    // What nobody has read Node reads when the answer is sent, by way of all the events of a stream: a tenth of a short request.
    message.read();
    done(nothing);
    return;
  }
  if (isCoded(message)) {
    done(refusals.notImplemented);
    return;
  }
  readBytes(message, limits.maxBodyBytes, (bytes) => {
    if (bytes === undefined) done(refusals.payloadTooLarge);
    else if (message.headers["content-encoding"] === undefined) parse(bytes, bytes, limits, message, done);
    // `inflated` does not reject.
    else void inflated(bytes, limits, message, done);
  });
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || (headers["content-length"] !== undefined && headers["content-length"] !== "0");
}

/** Whether its chunks hold something else than the body: who would read them as it would not see what was sent (RFC 9112, 6.1). */
const isCoded = ({ headers: { "transfer-encoding": coding } }: IncomingMessage): boolean =>
  coding !== undefined && coding.trim().toLowerCase() !== "chunked";

/** Undefined when the body is larger than the limit: the rest is left unread. */
function readBytes(message: IncomingMessage, limit: number, done: (bytes: Buffer | undefined) => void): void {
  if (Number(message.headers["content-length"] ?? 0) > limit) {
    done(undefined);
    return;
  }
  // A short body comes with its head: then all of it is there at the next tick, without the events of a stream.
  process.nextTick(() => {
    if (!message.complete) collect(message, limit, done);
    else if (!message.destroyed) done(bounded(message.read() ?? nothing.bytes, limit));
  });
}

const bounded = (bytes: Buffer, limit: number): Buffer | undefined => (bytes.length > limit ? undefined : bytes);

function collect(message: IncomingMessage, limit: number, done: (bytes: Buffer | undefined) => void): void {
  const chunks: Buffer[] = [];
  let size = 0;
  message.on("data", (chunk: Buffer) => {
    if (size > limit) return;
    size += chunk.length;
    chunks.push(chunk);
    if (size > limit) done(undefined);
  });
  message.on("end", () => {
    if (size <= limit) done(Buffer.concat(chunks));
  });
}

type Done = (received: Received | Refusal) => void;

async function inflated(bytes: Buffer, limits: BodyLimits, message: IncomingMessage, done: Done): Promise<void> {
  const encoding = contentEncoding(message.headers["content-encoding"]);
  if (encoding === undefined) return done(refusals.unsupportedMediaType);
  const plain = encoding === null ? bytes : await inflate(bytes, encoding, limits.maxBodyBytes);
  if (plain === undefined) return done(refusals.payloadTooLarge);
  if (plain === null) return done(refusals.invalidEncoding);
  parse(bytes, plain, limits, message, done);
}

function parse(bytes: Buffer, plain: Buffer, { maxParts }: BodyLimits, { headers }: IncomingMessage, done: Done): void {
  const type = headers["content-type"];
  const kind = bodyKind(type);
  if (plain.length === 0) done({ bytes, value: null });
  // It does not reject.
  else if (kind === "multipart") void receiveFormData(bytes, plain, type ?? "", maxParts).then(done);
  else {
    const value = meaning(plain, kind);
    if (value === undefined) done(kind === "form" ? refusals.invalidParam : refusals.invalidJson);
    else done({ bytes, value });
  }
}

/** Undefined when the bytes are not what they claim to be. */
function meaning(bytes: Buffer, kind: BodyKind): Json | undefined {
  if (kind === "binary" || (kind === "unknown" && !isUtf8(bytes))) return bytes.toString("base64");
  if (kind === "text") return textOf(bytes);
  const isPlain = isAscii(bytes);
  if (!isPlain && !isUtf8(bytes)) return undefined;
  // Read as Latin-1, a large text takes a tenth of the time.
  const text = bytes.toString(isPlain ? "latin1" : "utf8");
  if (kind === "form") return parseForm(text);
  if (kind === "lines") return parseJsonLines(text);
  const value = parseJson(text);
  return value === undefined && kind === "unknown" ? text : value;
}

/** Bytes as text without loss: one character a byte when they are not UTF-8. */
export const textOf = (bytes: Buffer): string => bytes.toString(isUtf8(bytes) ? "utf8" : "latin1");
