import { hasDots, isBucketName, type Presigned, presignedUrl } from "../../keys/presigned-url.ts";
import { type KeyPath, keyPath, nodePath, read, write } from "../../paths/path.ts";
import type { Act } from "../../run/run.ts";
import { argument, keyed, onlyValue, pathIn } from "../../shapes/arguments.ts";
import { orNull } from "../../shapes/edit.ts";
import { valueIn, writtenAt } from "../../shapes/place.ts";
import { any, type Shape, string } from "../../shapes/shape.ts";
import { Reject } from "../../value/failure.ts";
import type { Json } from "../../value/json.ts";
import { oneOf } from "../../value/one-of.ts";
import type { ShapedArguments, Transform } from "../feature.ts";

interface Args {
  readonly operation?: string | null;
  readonly bucket: string;
  readonly file_key: string;
  readonly expiration_secs: number;
  readonly endpoint: string;
  readonly region: string;
  readonly access_key_id: string;
  readonly secret_access_key: string;
  readonly key: string | null;
  readonly json_path?: string | null;
  readonly path_style?: boolean | null;
}

interface Ready {
  readonly link: Presigned;
  /** The place of the link: `key` into the data, or into the value that the path names. */
  readonly keys: readonly KeyPath[];
}

const operations = ["get", "put"] as const;
const longest = 604_800;

/** Stage 1: PW512 for an option outside its range, and for a link that would lead to anything but one object. */
export function prepare({ operation, endpoint, expiration_secs: expires, key, json_path, ...rest }: Args): Ready {
  const { bucket, file_key } = rest;
  if (expires < 1 || expires > longest) throw new Reject("PW512", `expiration_secs ${expires} is outside 1..${longest}`);
  if (!isBucketName(bucket)) {
    throw new Reject("PW512", "bucket must be 3 to 63 small letters, digits, hyphens and single dots");
  }
  // A link with an empty key would list the bucket. Other empty options make a link of no use.
  const empty = (["file_key", "region", "access_key_id", "secret_access_key"] as const).find((field) => rest[field] === "");
  if (empty !== undefined) throw new Reject("PW512", `${empty} is empty`);
  if (hasDots(file_key)) throw new Reject("PW512", "file_key has a segment . or ..");
  if (!file_key.isWellFormed()) throw new Reject("PW512", "file_key holds a lone surrogate");
  const method = oneOf("operation", operation, operations, "get") === "get" ? "GET" : "PUT";
  return { link: { ...rest, method, endpoint: addressOf(endpoint), expires }, keys: placesOf(key, json_path) };
}

/** `.` and `$` are the data itself. */
function placesOf(key: string | null, json_path: string | null | undefined): readonly KeyPath[] {
  const isRoot = json_path === undefined || json_path === null || nodePath(json_path).steps.length === 0;
  return isRoot ? [keyPath(key)] : [keyPath(json_path), keyPath(key)];
}

function addressOf(endpoint: string): URL {
  const address = URL.parse(endpoint);
  if (address === null || !/^https?:$/.test(address.protocol) || address.href !== `${address.origin}/`) {
    throw new Reject("PW512", "endpoint must be the address of a server, such as https://s3.amazonaws.com");
  }
  return address;
}

/**
 * Writes a link under the key, in the data or in what `json_path` names, with which anyone can fetch or store one object until it expires.
 * No request is sent to the service.
 */
export function s3_generate_presigned_url(data: Json, { link, keys }: Ready, act: Act): Json {
  return writtenIn(data, keys, presignedUrl(link, act.now));
}

function writtenIn(data: Json, [key, ...inner]: readonly KeyPath[], url: string): Json {
  if (key === undefined) return url;
  return write(data, key, inner.length === 0 ? url : writtenIn(read(data, key) ?? null, inner, url));
}

function shape(data: Shape, { shape: args }: ShapedArguments<Args>): Shape {
  const [key, at] = [argument(args, "key"), argument(args, "json_path")];
  if (onlyValue(at) === null) return keyed(data, key, string);
  const path = pathIn(at);
  if (path === undefined) return any;
  const names = path.steps.filter((step) => typeof step === "string");
  if (names.length < path.steps.length) return any;
  const inner = orNull(valueIn(data, names, path.rooted));
  return writtenAt(data, names, keyed(inner, key, string));
}

export const spec: Transform<Args, Ready> = {
  summary: "Make a link with which one object of an S3 service can be fetched or stored for a while.",
  schema: {
    type: "object",
    required: ["bucket", "file_key", "expiration_secs", "endpoint", "region", "access_key_id", "secret_access_key", "key"],
    additionalProperties: false,
    properties: {
      operation: {
        type: "string",
        enum: operations,
        default: "get",
        description: "What the link allows: to fetch the object, or to store it.",
      },
      bucket: { type: "string", description: "Name of the bucket." },
      file_key: { type: "string", description: "Key of the object: slashes in it stay." },
      expiration_secs: { type: "integer", description: "Seconds for which the link works, 1 to 604800 (seven days)." },
      endpoint: {
        type: "string",
        examples: ["https://s3.amazonaws.com"],
        description: "Address of the service, such as `https://s3.amazonaws.com`.",
      },
      region: { type: "string", description: "Region of the bucket, such as `us-east-1`." },
      access_key_id: { type: "string", description: "Whose rights the link carries." },
      secret_access_key: { type: "string", description: "The secret of that access key." },
      path_style: {
        type: "boolean",
        description:
          "The bucket is part of the path (`true`) or of the host; by default of the path where the host is an address, `localhost` or has no dot.",
      },
      key: { type: "string", context: "path", description: "Where the link is written." },
      json_path: { type: "string", context: "path", description: "The object in which the key is written; without it the data." },
    },
  },
  effect: "clock",
  hides: true,
  prepare,
  run: s3_generate_presigned_url,
  shape,
};
