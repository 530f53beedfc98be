import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { parseForm } from "../../formats/form.ts";
import { Gathered } from "../../formats/gathered.ts";
import { contentEncoding, inflate } from "../../formats/inflate.ts";
import { readJson, readJsonLinesWork, readJsonWork } from "../../formats/json-text.ts";
import { type BodyKind, bodyKind } from "../../formats/media-type.ts";
import type { Limits } from "../../process/host.ts";
import { type Refusal, refusals } from "../../run/refusals.ts";
import { Line } from "../../threads/line.ts";
import { atOnce, type Work } from "../../threads/slices.ts";
import type { Json } from "../../value/json.ts";
import { receiveFormData } from "./form-data.ts";
import { type ClosingAnswer, Held } from "./held.ts";
import { Pieces } from "./pieces.ts";
import type { Received } from "./received-body.ts";
import { formRefusal } from "./refusal.ts";

/** Limits of a body; the sizes hold before and after it is inflated. */
export type BodyLimits = Pick<Limits, "maxBodyBytes" | "maxBodiesBytes" | "maxParts">;

/** A request whose body is read, and the response for its answer. */
export interface Asked {
  readonly message: IncomingMessage;
  readonly response: ClosingAnswer;
}

/** The body of a request that has none, or an empty one. */
const nothing: Received = { sent: new Pieces([]), value: null };

/** Reads and parses the body; calls `done` once, unless the client disconnects first. */
export function receive(asked: Asked, limits: BodyLimits, done: (received: Received | Refusal) => void): void {
  const { message } = asked;
  if (!hasBody(message)) {
    // An unread body is read by Node when the answer is sent, with all events of a stream. Resuming it here saves a tenth of the time of a
    // short request.
    message.read();
    done(nothing);
    return;
  }
  if (isCoded(message)) {
    done(refusals.notImplemented);
    return;
  }
  const held = new Held(asked.response, limits.maxBodiesBytes);
  readBytes(message, held, limits.maxBodyBytes, (body) => {
    if ("code" in body) done(body);
    else if (message.headers["content-encoding"] === undefined) parse(body, body, limits, message, done);
    // `inflated` never rejects.
    else void inflated(body, held, limits, message, done);
  });
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || (headers["content-length"] !== undefined && headers["content-length"] !== "0");
}

/**
 * True when the transfer encoding is more than `chunked`: a reader of the chunks would take them for the body, though other bytes were sent
 * (RFC 9112, 6.1).
 */
const isCoded = ({ headers: { "transfer-encoding": coding } }: IncomingMessage): boolean =>
  coding !== undefined && coding.trim().toLowerCase() !== "chunked";

/** Reads the bytes of a body. For one that is larger than a limit it calls `done` with a refusal, and leaves the rest unread. */
function readBytes(message: IncomingMessage, held: Held, limit: number, done: (body: Pieces | Refusal) => void): void {
  if (Number(message.headers["content-length"] ?? 0) > limit) {
    done(refusals.payloadTooLarge);
    return;
  }
  // A short body arrives together with its head: at the next tick it can be read as a whole, without the events of a stream.
  process.nextTick(() => {
    if (!message.complete) collect(message, held, limit, done);
    else if (!message.destroyed) done(bounded(message.read(), limit));
  });
}

function bounded(bytes: Buffer | null, limit: number): Pieces | Refusal {
  if (bytes === null) return nothing.sent;
  return bytes.length > limit ? refusals.payloadTooLarge : new Pieces([bytes]);
}

function collect(message: IncomingMessage, held: Held, limit: number, done: (body: Pieces | Refusal) => void): void {
  const body = new Gathered();
  let size = 0;
  let isRefused = false;
  const refuse = (refusal: Refusal): void => {
    isRefused = true;
    done(refusal);
  };
  message.on("data", (chunk: Buffer) => {
    if (isRefused) return;
    size += chunk.length;
    if (size > limit) refuse(refusals.payloadTooLarge);
    else if (!held.add(chunk.length)) refuse(refusals.tooManyBodies);
    else body.add(chunk);
  });
  message.on("end", () => {
    if (!isRefused) done(new Pieces(body.pieces));
  });
}

/** The most bytes that are parsed in a few milliseconds. */
const longBody = 1_048_576;

type Done = (received: Received | Refusal) => void;

/** Node inflates in four threads. */
const inflating = new Line(4);

async function inflated(body: Pieces, held: Held, limits: BodyLimits, message: IncomingMessage, done: Done): Promise<void> {
  const encoding = contentEncoding(message.headers["content-encoding"]);
  if (encoding === undefined) return done(refusals.unsupportedMediaType);
  if (encoding === null) return parse(body, body, limits, message, done);
  const plain = await inflating.take(async () => held.hasRoom && inflate(body.whole, encoding, limits.maxBodyBytes));
  if (plain === undefined) return done(refusals.payloadTooLarge);
  if (plain === null) return done(refusals.invalidEncoding);
  if (plain === false || !held.add(plain.length)) return done(refusals.tooManyBodies);
  parse(body, new Pieces([plain]), limits, message, done);
}

function parse(body: Pieces, plain: Pieces, { maxParts }: BodyLimits, { headers }: IncomingMessage, done: Done): void {
  const type = headers["content-type"];
  const kind = bodyKind(type);
  if (plain.length === 0) done({ sent: body, value: null });
  // `receiveFormData` never rejects.
  else if (kind === "multipart") void receiveFormData(body, plain.whole, type ?? "", maxParts).then(done);
  else {
    const take = (read: Meaning): void => done("value" in read ? { sent: body, value: read.value } : read);
    // Most bodies are short documents of JSON.
    if (kind === "json" && plain.length <= longBody) take(documentOf(plain.text));
    else if (plain.length > longBody) inTurns(meaning(plain, kind), take);
    else take(atOnce(meaning(plain, kind)));
  }
}

const documentOf = (text: string | undefined): Meaning => (text === undefined ? refusals.invalidJson : orRefusal(readJson(text)));

const orRefusal = (read: ReturnType<typeof readJson>): Meaning =>
  "value" in read ? read : read.reason === undefined ? refusals.invalidJson : { ...refusals.invalidJson, message: read.reason };

/** Parses a large body in parts, and lets other work have a turn after each part. Waiting events come before an immediate. */
function inTurns(work: Work<Meaning>, take: (read: Meaning) => void): void {
  const step = work.next();
  setImmediate(() => setImmediate(() => (step.done === true ? take(step.value) : inTurns(work, take))));
}

/** The value of a body; a refusal when the bytes do not have the format that their type names. */
type Meaning = { readonly value: Json } | Refusal;

function* meaning(plain: Pieces, kind: BodyKind): Work<Meaning> {
  if (kind === "binary") return { value: plain.whole.toString("base64") };
  if (kind === "text") return { value: textOf(plain.whole) };
  const { text } = plain;
  if (kind === "form") return formOf(text);
  if (text === undefined) return kind === "unknown" ? { value: plain.whole.toString("base64") } : refusals.invalidJson;
  const read = yield* readings(text, kind);
  return !("value" in read) && kind === "unknown" ? { value: text } : orRefusal(read);
}

function* readings(text: string, kind: BodyKind): ReturnType<typeof readJsonWork> {
  if (kind === "lines") return yield* readJsonLinesWork(text);
  return text.length > longBody ? yield* readJsonWork(text) : readJson(text);
}

function formOf(text: string | undefined): { readonly value: Json } | Refusal {
  const read = text === undefined ? ({ fault: "invalid" } as const) : parseForm(text);
  return "fault" in read ? formRefusal(read.fault) : { value: read.fields };
}

/** Bytes as text without loss: bytes that are no UTF-8 become one character each. */
export const textOf = (bytes: Buffer): string => bytes.toString(isUtf8(bytes) ? "utf8" : "latin1");
