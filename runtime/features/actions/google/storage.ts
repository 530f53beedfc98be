import { isUtf8 } from "node:buffer";
import { signedLink } from "../../../keys/google-signature.ts";
import type { Act } from "../../../run/run.ts";
import { bytesOf } from "../../../value/bytes.ts";
import { Failure } from "../../../value/failure.ts";
import { isObject, type Json, type JsonObject, own } from "../../../value/json.ts";
import type { Account } from "./account.ts";
import { broken, objectOf } from "./ask.ts";
import { askWithToken, baseOf, type ServiceArgs } from "./authorized.ts";
import type { Encoding } from "./schema.ts";
import { correctedNow } from "./tokens.ts";

/** An object of a bucket, as a block names it. */
export interface ObjectArgs {
  readonly bucket: string | null;
  readonly key: string | null;
}

export interface LinkArgs extends ObjectArgs {
  readonly content_type?: string | null;
  /** Milliseconds. */
  readonly expires?: number | null;
}

export interface UploadArgs extends ObjectArgs {
  readonly base64_bytes: string | null;
  readonly content_type?: string | null;
}

export interface ReadArgs extends ObjectArgs {
  readonly encoding?: Encoding | null;
}

export interface ListArgs {
  readonly bucket: string | null;
  readonly prefix?: string | null;
  readonly delimiter?: string | null;
  readonly limit?: number | null;
}

const service = "storage";
const usual = "https://storage.googleapis.com";
const scope = "https://www.googleapis.com/auth/devstorage.read_write";

/** The most bytes of an object that is stored or read. */
const largest = 67_108_864;

const usualExpiry = 900_000;
const longestExpiry = 604_800_000;

/** A link to one object; no request is sent. */
export function signedUrl(act: Act, account: Account, method: "GET" | "PUT", args: LinkArgs, around: ServiceArgs): JsonObject {
  const { bucket, key } = objectOfArgs(args);
  const { host } = act.run;
  const expires = linkTime(args.expires ?? usualExpiry);
  const content_type = args.content_type ?? null;
  const headers: Readonly<Record<string, string>> = content_type === null ? {} : { "content-type": headerValue(content_type) };
  const link = { method, endpoint: baseOf(around, usual), bucket, key, headers, client_email: account.client_email };
  const seconds = Math.floor(expires / 1000);
  const url = signedLink({ ...link, expires: seconds }, account.sign, correctedNow(host));
  return { url, method, headers: { ...headers }, expires_at: new Date(host.now() + seconds * 1000).toISOString() };
}

/** Milliseconds for which a link works. */
export function linkTime(ms: number): number {
  if (ms < 1000 || ms > longestExpiry) throw bad("expires", "expected 1 s to 7 days");
  return ms;
}

export function contentOf(base64_bytes: string | null): Buffer {
  if (base64_bytes === null) throw bad("base64_bytes", "expected text, got null");
  // A text of more characters has more bytes, whatever they are.
  if (base64_bytes.length > (largest / 3) * 4 + 65_536) throw tooLarge();
  const body = bytesOf(base64_bytes, "base64");
  if (body === undefined) throw bad("base64_bytes", "not base64");
  if (body.length > largest) throw tooLarge();
  return body;
}

export async function upload(act: Act, account: Account, args: UploadArgs, around: ServiceArgs): Promise<Json> {
  const { bucket, key } = objectOfArgs(args);
  const { base64_bytes, content_type } = args;
  const body = contentOf(base64_bytes);
  const type = headerValue(content_type ?? "application/octet-stream");
  const url = new URL(`${baseOf(around, usual)}/upload/storage/v1/b/${bucket}/o`);
  url.search = new URLSearchParams({ uploadType: "media", name: key, fields }).toString();
  const answer = await askWithToken(act, account, scope, {
    ...{ service, method: "POST", url, headers: { "content-type": type }, body },
    ...timesOf(around),
  });
  return { bucket, ...described(objectOf(service, answer), { key, size: body.length, content_type: type }) };
}

export async function read(act: Act, account: Account, args: ReadArgs, around: ServiceArgs): Promise<Json> {
  const { bucket, key } = objectOfArgs(args);
  const encoding = args.encoding ?? "text";
  const url = new URL(`${objectAddress(bucket, key, around)}?alt=media`);
  const { headers, bytes } = await askWithToken(act, account, scope, {
    ...{ service, method: "GET", url, headers: { accept: "*/*" }, limit: largest },
    ...timesOf(around),
  });
  if (encoding === "text" && !isUtf8(bytes))
    throw new Failure("transport", "google storage: the object is no UTF-8 text; use encoding: base64");
  const type = own(headers, "content-type");
  const etag = own(headers, "etag");
  return {
    ...{
      bucket,
      key,
      size: bytes.length,
      content_type: typeof type === "string" ? type : null,
      etag: typeof etag === "string" ? etag : null,
    },
    ...{ encoding, content: bytes.toString(encoding === "text" ? "utf8" : "base64") },
  };
}

export async function remove(act: Act, account: Account, args: ObjectArgs, around: ServiceArgs): Promise<Json> {
  const { bucket, key } = objectOfArgs(args);
  const url = new URL(objectAddress(bucket, key, around));
  await askWithToken(act, account, scope, { service, method: "DELETE", url, ...timesOf(around) });
  return { bucket, key, ok: true };
}

/** Objects of one page, at most. */
const mostOfPage = 1000;

/** choice: pages of a list; a service may give pages without objects. */
const mostPages = 1000;

const usualLimit = 1000;
const largestLimit = 100_000;

/** Follows the pages until there are as many objects and prefixes as asked for. */
export async function list(act: Act, account: Account, args: ListArgs, around: ServiceArgs): Promise<Json> {
  const bucket = bucketOf(args.bucket);
  const limit = args.limit ?? usualLimit;
  if (limit < 1 || limit > largestLimit) throw bad("limit", `expected 1 to ${largestLimit}, got ${limit}`);
  const objects: Json[] = [];
  const prefixes: Json[] = [];
  let page: string | undefined;
  for (let pages = 1; pages <= mostPages; pages++) {
    const url = new URL(`${baseOf(around, usual)}/storage/v1/b/${bucket}/o`);
    const room = Math.min(mostOfPage, limit - objects.length - prefixes.length);
    const params = { prefix: args.prefix, delimiter: args.delimiter, pageToken: page, maxResults: String(room), fields: fieldsOfList };
    for (const [name, value] of Object.entries(params))
      if (value !== null && value !== undefined && value !== "") url.searchParams.set(name, value);
    const answer = objectOf(service, await askWithToken(act, account, scope, { service, method: "GET", url, ...timesOf(around) }));
    objects.push(...items(answer, "items").flatMap((each) => (isObject(each) ? [described(each, {})] : [])));
    prefixes.push(...items(answer, "prefixes").filter((each) => typeof each === "string"));
    const next = own(answer, "nextPageToken");
    const isMore = typeof next === "string" && next !== "";
    if (!isMore || objects.length + prefixes.length >= limit) return { objects, prefixes, truncated: isMore };
    page = next;
  }
  throw broken(service, `there are more than ${mostPages} pages`);
}

const fields = "name,size,contentType,etag,updated";
const fieldsOfList = `nextPageToken,prefixes,items(${fields})`;

function items(answer: JsonObject, member: string): readonly Json[] {
  const value = own(answer, member) ?? [];
  if (!Array.isArray(value)) throw broken(service, `${member} of the answer are no list`);
  return value;
}

/** The facts that the service states of an object, in our own words; null where it states none. */
function described(answer: JsonObject, known: JsonObject): JsonObject {
  const textOf = (ours: string, theirs: string): Json => {
    const value = own(answer, theirs) ?? own(known, ours);
    return typeof value === "string" ? value : null;
  };
  const size = Number(own(answer, "size") ?? own(known, "size") ?? Number.NaN);
  return {
    key: textOf("key", "name"),
    size: Number.isSafeInteger(size) ? size : null,
    content_type: textOf("content_type", "contentType"),
    etag: textOf("etag", "etag"),
    modified: textOf("modified", "updated"),
  };
}

const objectAddress = (bucket: string, key: string, around: ServiceArgs): string =>
  `${baseOf(around, usual)}/storage/v1/b/${bucket}/o/${encodeURIComponent(key)}`;

const timesOf = ({ timeout, fromData }: ServiceArgs): Pick<ServiceArgs, "timeout" | "fromData"> => ({ timeout, fromData });

/** Both names are checked, because they become parts of addresses. */
function objectOfArgs({ bucket, key }: ObjectArgs): { readonly bucket: string; readonly key: string } {
  return { bucket: bucketOf(bucket), key: keyOf(key) };
}

export function bucketOf(bucket: string | null): string {
  if (bucket === null || !/^[a-z0-9](?:[a-z0-9._-]{1,220})[a-z0-9]$/.test(bucket) || bucket.includes(".."))
    throw bad("bucket", "not the name of a bucket");
  return bucket;
}

/** choice: a key whose levels are dots is refused, though the service knows such objects: a client of a link would walk up. */
export function keyOf(key: string | null): string {
  if (key === null || key === "") throw bad("key", `expected a key, got ${key === null ? "null" : "none"}`);
  const isClean = key.isWellFormed() && !/\p{Cc}/u.test(key) && key.split("/").every((level) => level !== "." && level !== "..");
  if (!isClean || Buffer.byteLength(key) > 1024) throw bad("key", "not the key of an object");
  return key;
}

/** A header value; fails for a text that could end the header and begin another one. */
function headerValue(value: string): string {
  if (!/^[\x20-\x7e]{1,1024}$/.test(value)) throw bad("content_type", "not a content type");
  return value;
}

const tooLarge = (): Failure => new Failure("evaluation", "google storage: the object is larger than 64 MiB");

const bad = (field: string, problem: string): Failure => new Failure("evaluation", `field ${field}: ${problem}`);
