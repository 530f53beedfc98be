import { isUtf8 } from "node:buffer";
import { domainOf } from "../../../keys/aws-domain.ts";
import { hasDots, isBucketName, objectAddress, presignedUrl } from "../../../keys/presigned-url.ts";
import { touches } from "../../../outgoing/touches.ts";
import type { Act } from "../../../run/run.ts";
import { bytesOf } from "../../../value/bytes.ts";
import { Failure } from "../../../value/failure.ts";
import { header } from "../../../value/holes.ts";
import { type Json, type JsonObject, own, put, typeOf } from "../../../value/json.ts";
import type { Answer } from "../http/answer.ts";
import { accountOf } from "./account.ts";
import { aheadOf, callService } from "./call.ts";
import type { Account } from "./model.ts";
import { endpointOf } from "./region.ts";
import type { CredentialArgs } from "./schema.ts";

/** The most bytes of an object (spec/surfaces 15). */
const largestObject = 67_108_864;

/** Milliseconds for which a link may work at most. */
const longestLink = 604_800_000;

/** An object that an operation names. */
export interface ObjectArgs {
  readonly bucket: string | null;
  readonly key: string | null;
  readonly acl?: string | null;
  readonly version_id?: string | null;
}

export interface LinkArgs extends ObjectArgs {
  readonly expires?: number | null;
  readonly content_type?: string | null;
  readonly filename?: string | null;
}

export interface UploadArgs extends ObjectArgs {
  readonly base64_bytes?: string | null;
  readonly content?: string | null;
  readonly content_type?: string | null;
  readonly cache_control?: string | null;
  readonly content_disposition?: string | null;
  readonly metadata?: Readonly<Record<string, Json>> | null;
}

export interface GetArgs extends ObjectArgs {
  readonly encoding?: "text" | "base64";
}

/** The credential of an operation, and its time limit. */
export interface Caller {
  readonly credential: CredentialArgs;
  /** Milliseconds. */
  readonly timeout: number;
}

type Verb = "get" | "put" | "delete" | "list";

/** The name of a bucket, if AWS allows it. */
export function bucketOf(bucket: string | null): string {
  if (bucket === null || !isBucketName(bucket))
    throw new Failure("evaluation", "field bucket: expected 3 to 63 small letters, digits, hyphens and single dots");
  return bucket;
}

/** Milliseconds for which a link works. */
export function linkTime(ms: number): number {
  if (ms < 1000 || ms > longestLink) throw new Failure("evaluation", "field expires: expected 1s to 7d");
  return ms;
}

/** The key of an object, if it can be sent as it is. */
export function keyOf(key: string | null): string {
  if (key === null || key === "") throw new Failure("evaluation", `field key: expected a key, got ${key === null ? "null" : "none"}`);
  if (Buffer.byteLength(key) > 1024) throw new Failure("evaluation", "field key: longer than 1024 bytes");
  if (/\p{Cc}/u.test(key) || !key.isWellFormed() || hasDots(key))
    throw new Failure("evaluation", "field key: a control character, or a segment . or ..");
  return key;
}

/** An object of a bucket; an empty key is the bucket itself. */
interface Place {
  readonly bucket: string;
  readonly key: string;
}

const placeOf = ({ bucket, key }: ObjectArgs): Place => ({ bucket: bucketOf(bucket), key: keyOf(key) });

/** The address of a bucket, or of an object in it. */
export function addressOf(act: Act, { region, endpoint, path_style }: Account, { bucket, key: file_key }: Place) {
  const url = endpointOf(act.run, "s3", region, endpoint);
  const isOfAws = url.hostname.endsWith(`.${domainOf(region)}`);
  const place = { endpoint: url, bucket, file_key, path_style: path_style ?? (!isOfAws || bucket.includes(".")) };
  return { ...place, ...objectAddress(place) };
}

function touch(act: Act, { bucket, key: name }: Place, verb: Verb): void {
  touches(act.run, { kind: "files", name, of: `s3://${bucket}`, verb });
}

/** A link to store (PUT) or fetch (GET) one object: `{url, method, headers, expires_at}`. No request is sent to the service. */
export async function signedUrl(act: Act, { credential }: Caller, args: LinkArgs, method: "GET" | "PUT"): Promise<Json> {
  const place = placeOf(args);
  const { expires = null, filename = null } = args;
  const ms = linkTime(expires ?? 900_000);
  touch(act, place, method === "PUT" ? "put" : "get");
  const account = await accountOf(act.run, credential);
  const acl = aclOf(args.acl);
  const type = header(args.content_type ?? null, "content-type");
  const headers: JsonObject = type === null ? {} : { "content-type": type };
  const query = {
    ...(acl === undefined ? {} : { "x-amz-acl": acl }),
    ...(filename === null ? {} : { "response-content-disposition": attachment(filename) }),
  };
  const { region, credentials } = account;
  const seconds = Math.floor(ms / 1000);
  // Every header is a text.
  const signed = { headers: headers as Readonly<Record<string, string>>, query, expires: seconds };
  const address = addressOf(act, account, place);
  const now = act.now + aheadOf(act.run.host, address.endpoint.host);
  const url = presignedUrl({ ...address, ...credentials, ...signed, method, region }, now);
  return { url, method, headers, expires_at: new Date(act.now + seconds * 1000).toISOString() };
}

/** The name in RFC 8187, which takes any character. */
const attachment = (filename: string): string =>
  `attachment; filename*=UTF-8''${encodeURIComponent(filename.toWellFormed()).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)}`;

export function aclOf(acl: string | null | undefined): string | undefined {
  if (acl === null || acl === undefined || acl === "") return undefined;
  if (!/^[a-z][a-z-]{0,62}$/.test(acl)) throw new Failure("evaluation", "field acl: expected a canned ACL, such as private or public-read");
  return acl;
}

/** Stores an object: `{bucket, key, size, etag, version_id, url}`. */
export async function uploadObject(act: Act, caller: Caller, args: UploadArgs): Promise<Json> {
  const { bytes, type } = contentOf(args);
  const acl = aclOf(args.acl);
  const headers = {
    "content-type": header(args.content_type || type, "content-type") ?? type,
    ...optional("cache-control", args.cache_control),
    ...optional("content-disposition", args.content_disposition),
    ...(acl === undefined ? {} : { "x-amz-acl": acl }),
    ...metadataOf(args.metadata ?? {}),
  };
  const place = placeOf(args);
  const { answer, url } = await onObject(act, caller, "PUT", place, { headers, body: bytes });
  return { ...place, size: bytes.length, etag: etagOf(answer), version_id: text(answer, "x-amz-version-id"), url };
}

export function contentOf({ base64_bytes = null, content = null }: Pick<UploadArgs, "base64_bytes" | "content">): {
  readonly bytes: Buffer;
  readonly type: string;
} {
  if (base64_bytes === null && content === null) throw new Failure("evaluation", "field base64_bytes: expected text, got null");
  // A text of this length cannot fit, so it is not decoded.
  if (base64_bytes !== null && base64_bytes.length > largestObject * 2) throw tooLarge();
  const bytes = base64_bytes === null ? Buffer.from(content ?? "") : bytesOf(base64_bytes, "base64");
  if (bytes === undefined) throw new Failure("evaluation", "field base64_bytes: not base64");
  if (bytes.length > largestObject) throw tooLarge();
  return { bytes, type: base64_bytes === null ? "text/plain; charset=utf-8" : "application/octet-stream" };
}

const tooLarge = (): Failure => new Failure("evaluation", "aws s3: the object is larger than 64 MiB");

function optional(name: string, value: string | null | undefined): Readonly<Record<string, string>> {
  const line = value === undefined || value === "" ? null : header(value, name);
  if (line !== null && !/^[\t\x20-\x7e]*$/.test(line)) throw new Failure("evaluation", `header ${name}: invalid character`);
  return line === null ? {} : { [name]: line };
}

function metadataOf(metadata: Readonly<Record<string, Json>>): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(metadata)) {
    if (!/^[A-Za-z0-9_-]{1,128}$/.test(name))
      throw new Failure("evaluation", "field metadata: a name has other than letters, digits, - and _");
    if (value !== null && typeof value === "object") throw new Failure("evaluation", `field metadata: expected text, got ${typeOf(value)}`);
    Object.assign(headers, optional(`x-amz-meta-${name.toLowerCase()}`, value === null ? null : String(value)));
  }
  return headers;
}

/** Fetches an object: `{bucket, key, size, encoding, content, content_type, etag, modified, version_id, metadata}`. */
export async function getObject(act: Act, caller: Caller, args: GetArgs): Promise<Json> {
  const { encoding = "text", version_id = null } = args;
  const place = placeOf(args);
  const query: Readonly<Record<string, string>> = version_id === null ? {} : { versionId: version_id };
  const { answer } = await onObject(act, caller, "GET", place, { query });
  const { bytes } = answer;
  if (encoding === "text" && !isUtf8(bytes))
    throw new Failure("transport", "aws s3: the object is no UTF-8 text; use encoding: base64", { upstream: 502 });
  return {
    ...{ ...place, size: bytes.length, encoding, content: bytes.toString(encoding === "text" ? "utf8" : "base64") },
    ...{ content_type: text(answer, "content-type"), etag: etagOf(answer), modified: isoOf(text(answer, "last-modified")) },
    ...{ version_id: text(answer, "x-amz-version-id"), metadata: metadataIn(answer) },
  };
}

function metadataIn({ headers }: Answer): Json {
  const out: JsonObject = {};
  for (const [name, value] of Object.entries(headers)) if (name.startsWith("x-amz-meta-")) put(out, name.slice(11), value);
  return out;
}

/** Deletes an object: `{bucket, key, ok}`. As in S3, a missing object is no failure. */
export async function deleteObject(act: Act, caller: Caller, args: ObjectArgs): Promise<Json> {
  const { version_id = null } = args;
  const place = placeOf(args);
  await onObject(act, caller, "DELETE", place, { query: version_id === null ? {} : { versionId: version_id } });
  return { ...place, ok: true };
}

interface Parts {
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

const verbs = { GET: "get", PUT: "put", DELETE: "delete" } as const;

async function onObject(
  act: Act,
  { credential, timeout }: Caller,
  method: keyof typeof verbs,
  place: Place,
  { headers = {}, query = {}, body = Buffer.alloc(0) }: Parts,
): Promise<{ readonly answer: Answer; readonly url: string }> {
  touch(act, place, verbs[method]);
  const account = await accountOf(act.run, credential);
  const { endpoint, host, path } = addressOf(act, account, place);
  const call = { service: "s3", method, protocol: endpoint.protocol, host, clock: endpoint.host, path, query, headers, body } as const;
  const answer = await callService(act, account, { ...call, timeout, limit: method === "GET" ? largestObject : 65_536 });
  return { answer, url: `${endpoint.protocol}//${host}${path}` };
}

/** A header of the answer; null where there is none. */
function text({ headers }: Answer, name: string): string | null {
  const value = own(headers, name);
  return typeof value === "string" ? value : null;
}

const etagOf = (answer: Answer): string | null => text(answer, "etag")?.replace(/^"(.*)"$/, "$1") ?? null;

/** An HTTP date in ISO 8601. */
function isoOf(date: string | null): string | null {
  const time = Date.parse(date ?? "");
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}
