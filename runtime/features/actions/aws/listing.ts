import { touches } from "../../../outgoing/touches.ts";
import type { Act } from "../../../run/run.ts";
import { Failure } from "../../../value/failure.ts";
import type { Json, JsonObject } from "../../../value/json.ts";
import { accountOf } from "./account.ts";
import { elementsAt, textAt, unreadable, xmlRoot } from "./answers.ts";
import { callService } from "./call.ts";
import { addressOf, bucketOf, type Caller } from "./objects.ts";

export interface ListArgs {
  readonly bucket: string | null;
  readonly prefix?: string | null;
  readonly delimiter?: string | null;
  readonly start_after?: string | null;
  readonly limit?: number | null;
}

/** Objects of one answer of S3. */
const pageSize = 1000;
/** Bytes of one answer: a thousand keys of the greatest length, each byte percent-encoded. */
const mostBytes = 8_388_608;
const mostObjects = 100_000;

interface Page {
  readonly objects: readonly JsonObject[];
  readonly prefixes: readonly string[];
  /** Leads to the next page. */
  readonly next: string | undefined;
}

/** Lists objects: `{objects: [{key, size, etag, modified, storage_class}], prefixes, truncated}`, in the order of their keys. */
export async function listObjects(act: Act, { credential, timeout }: Caller, args: ListArgs): Promise<Json> {
  const bucket = bucketOf(args.bucket);
  const { prefix = null, delimiter = null, start_after = null, limit = null } = args;
  const most = limit ?? pageSize;
  if (most < 1 || most > mostObjects) throw new Failure("evaluation", `field limit: expected 1 to ${mostObjects}`);
  touches(act.run, { kind: "files", name: prefix ?? "", of: `s3://${bucket}`, verb: "list" });
  const account = await accountOf(act.run, credential);
  const { endpoint, host, path } = addressOf(act, account, { bucket, key: "" });
  const fields = { "list-type": "2", "encoding-type": "url", ...set("prefix", prefix), ...set("delimiter", delimiter) };
  const objects: JsonObject[] = [];
  const prefixes: string[] = [];
  for (let next: string | undefined, left = most; ; left = most - objects.length - prefixes.length) {
    const from = next === undefined ? set("start-after", start_after) : { "continuation-token": next };
    const query = { ...fields, ...from, "max-keys": String(Math.min(left, pageSize)) };
    const call = { service: "s3", method: "GET", protocol: endpoint.protocol, host, clock: endpoint.host, path, query } as const;
    const { bytes } = await callService(act, account, { ...call, headers: {}, body: "", timeout, limit: mostBytes });
    const page = await pageOf(bytes, act);
    objects.push(...page.objects);
    prefixes.push(...page.prefixes);
    const count = objects.length + prefixes.length;
    // Without this check, a service that gives more objects than asked for, or empty pages, might keep the action going for ever.
    if (count > most || (page.next !== undefined && page.objects.length + page.prefixes.length === 0))
      throw unreadable("s3", "the list that was asked for");
    if (page.next === undefined || count >= most) return { objects, prefixes, truncated: page.next !== undefined };
    next = page.next;
  }
}

const set = (name: string, value: string | null): Readonly<Record<string, string>> =>
  value === null || value === "" ? {} : { [name]: value };

async function pageOf(bytes: Buffer, act: Act): Promise<Page> {
  const root = await xmlRoot(bytes, "ListBucketResult", "s3", act);
  const isEncoded = textAt(root, "EncodingType") === "url";
  const plain = (text: string | undefined): string => (isEncoded ? decoded(text ?? "") : (text ?? ""));
  return {
    objects: elementsAt(root, "Contents").map((each) => ({
      key: plain(textAt(each, "Key")),
      size: sizeOf(textAt(each, "Size")),
      etag: textAt(each, "ETag")?.replace(/^"(.*)"$/, "$1") ?? null,
      modified: textAt(each, "LastModified") ?? null,
      storage_class: textAt(each, "StorageClass") ?? null,
    })),
    prefixes: elementsAt(root, "CommonPrefixes").map((each) => plain(textAt(each, "Prefix"))),
    next:
      textAt(root, "IsTruncated") === "true" ? (textAt(root, "NextContinuationToken") ?? fail("a list that can be continued")) : undefined,
  };
}

function fail(what: string): never {
  throw unreadable("s3", what);
}

/** Keys are percent-encoded, with blanks as plus signs, because XML cannot hold every character. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return fail("a list of keys in UTF-8");
  }
}

function sizeOf(text: string | undefined): number {
  const size = Number(text);
  return text !== undefined && /^\d{1,15}$/.test(text) ? size : fail("a list with sizes");
}
