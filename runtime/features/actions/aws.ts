import type { Act } from "../../run/run.ts";
import { memberAt } from "../../shapes/edit.ts";
import { any, array, boolean, isNever, type Member, nothing, number, object, type Shape, string, union } from "../../shapes/shape.ts";
import { Failure } from "../../value/failure.ts";
import type { Json } from "../../value/json.ts";
import type { Action } from "../feature.ts";
import { asks } from "./aws/asks.ts";
import { type ListArgs, listObjects } from "./aws/listing.ts";
import { type PublishArgs, publish, type QueueArgs, sendMessage } from "./aws/messages.ts";
import {
  type Caller,
  deleteObject,
  type GetArgs,
  getObject,
  type LinkArgs,
  type ObjectArgs,
  signedUrl,
  type UploadArgs,
  uploadObject,
} from "./aws/objects.ts";
import { type CredentialArgs, credentialSchema, operations, schema } from "./aws/schema.ts";

/** An `aws` block after evaluation: one of the operations, with the settings of its credential. Null is a marker that gave nothing. */
export interface AwsArgs {
  readonly credential?: CredentialArgs | null;
  readonly timeout?: number | null;
  readonly get_signed_upload_url?: LinkArgs;
  readonly get_signed_download_url?: LinkArgs;
  readonly upload_object?: UploadArgs;
  readonly get_object?: GetArgs;
  readonly delete_object?: ObjectArgs;
  readonly list_objects?: ListArgs;
  readonly send_message?: QueueArgs;
  readonly publish?: PublishArgs;
}

/**
 * Calls a service of AWS, or one that speaks like it. Links give `{url, method, headers, expires_at}`, `upload_object` `{bucket, key, size,
 * etag, version_id, url}`, `get_object` `{bucket, key, size, encoding, content, content_type, etag, modified, version_id, metadata}`,
 * `delete_object` `{bucket, key, ok}`, `list_objects` `{objects, prefixes, truncated}`, `send_message` and `publish` `{message_id,
 * sequence_number}`.
 */
export async function aws(act: Act, args: AwsArgs): Promise<Json> {
  const caller: Caller = { credential: args.credential ?? {}, timeout: args.timeout ?? 30_000 };
  if (args.get_signed_upload_url !== undefined) return signedUrl(act, caller, args.get_signed_upload_url, "PUT");
  if (args.get_signed_download_url !== undefined) return signedUrl(act, caller, args.get_signed_download_url, "GET");
  if (args.upload_object !== undefined) return uploadObject(act, caller, args.upload_object);
  if (args.get_object !== undefined) return getObject(act, caller, args.get_object);
  if (args.delete_object !== undefined) return deleteObject(act, caller, args.delete_object);
  if (args.list_objects !== undefined) return listObjects(act, caller, args.list_objects);
  if (args.send_message !== undefined) return sendMessage(act, caller, args.send_message);
  if (args.publish !== undefined) return publish(act, caller, args.publish);
  throw new Failure("evaluation", "aws needs an operation");
}

const maybe = union(string, nothing);
const link = object({ url: string, method: string, headers: object({}, string), expires_at: string });
const message = object({ message_id: string, sequence_number: maybe });

const shapes: Readonly<Record<string, Shape>> = {
  get_signed_upload_url: link,
  get_signed_download_url: link,
  upload_object: object({ bucket: string, key: string, size: number, etag: maybe, version_id: maybe, url: string }),
  get_object: object({
    ...{ bucket: string, key: string, size: number, encoding: string, content: string, content_type: maybe, etag: maybe },
    ...{ modified: maybe, version_id: maybe, metadata: any },
  }),
  delete_object: object({ bucket: string, key: string, ok: boolean }),
  list_objects: object({
    objects: array(object({ key: string, size: number, etag: maybe, modified: maybe, storage_class: maybe })),
    prefixes: array(string),
    truncated: boolean,
  }),
  send_message: message,
  publish: message,
};

/** A refusal of the service, which an action that has failed keeps as its data. */
const refusal = object(
  new Map<string, Member>([
    ["status", { shape: number }],
    ["code", { shape: string }],
    ["message", { shape: string }],
    ["request_id", { shape: string, optional: true }],
    ["region", { shape: string, optional: true }],
    ["headers", { shape: object({ "retry-after": any }), optional: true }],
  ]),
);

/** The operation is written, never computed. Making a link asks no service, so that it has no refusal. */
function shape(args: Shape): Shape {
  const names = args.type === "object" ? operations.filter((name) => !isNever(memberAt(args, name).shape)) : [];
  const [name = ""] = names;
  const result = names.length === 1 ? (shapes[name] ?? any) : any;
  return result === link ? link : union(result, refusal);
}

export const spec: Action<AwsArgs> = {
  summary: "Work with objects of S3, queues of SQS and topics of SNS.",
  schema,
  bounds: "64 MiB of an object, 100,000 objects of a list, 1 MiB of a message of SQS, 256 KiB of one of SNS",
  effect: "network",
  statuses: true,
  reveals: { message: [["send_message"], ["publish"]] },
  credentials: { aws: credentialSchema },
  asks,
  run: aws,
  shape,
  failure: () => any,
};
