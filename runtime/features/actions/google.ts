import { touches } from "../../outgoing/touches.ts";
import type { Act } from "../../run/run.ts";
import { argument, onlyValue } from "../../shapes/arguments.ts";
import { any, anyObject, array, boolean, type Member, nothing, number, object, type Shape, string, union } from "../../shapes/shape.ts";
import { Failure } from "../../value/failure.ts";
import type { Json } from "../../value/json.ts";
import type { Action } from "../feature.ts";
import { type Account, account, type CredentialArgs } from "./google/account.ts";
import { asks } from "./google/asks.ts";
import type { ServiceArgs } from "./google/authorized.ts";
import { type MessageArgs, send } from "./google/messages.ts";
import { credential, type Operation, operations, schema } from "./google/schema.ts";
import {
  type LinkArgs,
  type ListArgs,
  list,
  type ObjectArgs,
  type ReadArgs,
  read,
  remove,
  signedUrl,
  type UploadArgs,
  upload,
} from "./google/storage.ts";
import { rawToken, type TokenArgs, tokenData, tokenOf } from "./google/tokens.ts";

/** A `google` block after evaluation. A key that is absent was not written; null is a marker that gave nothing. */
export interface GoogleArgs {
  /** The settings of the credential, put there by the compiler. */
  readonly credential?: CredentialArgs;
  readonly create_token?: TokenArgs;
  readonly create_token_raw?: TokenArgs;
  readonly get_signed_upload_url?: LinkArgs;
  readonly get_signed_download_url?: LinkArgs;
  readonly upload_object?: UploadArgs;
  readonly get_object?: ReadArgs;
  readonly list_objects?: ListArgs;
  readonly delete_object?: ObjectArgs;
  readonly send_message?: MessageArgs;
  readonly endpoint?: string | null;
  /** Milliseconds. */
  readonly timeout?: number | null;
  /** Set by the compiler where the endpoint comes from data: then its address is checked. */
  readonly from_data?: readonly "endpoint"[];
}

const usualTimeout = 30_000;

/** Does one thing at Google as a service account: a token, an object of Cloud Storage, a message of Firebase. */
export async function google(act: Act, args: GoogleArgs): Promise<Json> {
  const { credential: settings, endpoint = null, timeout, from_data } = args;
  if (settings === undefined) throw new Failure("evaluation", "google: no credential");
  touch(act, args);
  const of = await account(act, settings);
  act.throwIfCancelled();
  return perform(act, of, args, { endpoint, timeout: timeout ?? usualTimeout, fromData: from_data !== undefined });
}

/** Objects are listed like files. A link sends no request, but gives its object to others. */
function touch({ run }: Act, args: GoogleArgs): void {
  for (const verb of operations) {
    const block = args[verb];
    if (block === undefined || !("bucket" in block) || block.bucket === null) continue;
    const name = "key" in block ? block.key : `${("prefix" in block ? block.prefix : null) ?? ""}*`;
    touches(run, { kind: "files", name: name ?? "", of: block.bucket, verb });
  }
}

async function perform(act: Act, of: Account, args: GoogleArgs, around: ServiceArgs): Promise<Json> {
  const { host } = act.run;
  if (args.create_token !== undefined) return tokenData(await tokenOf(act, of, args.create_token, around.timeout), host);
  if (args.create_token_raw !== undefined) return rawToken(await tokenOf(act, of, args.create_token_raw, around.timeout), host);
  if (args.get_signed_upload_url !== undefined) return signedUrl(act, of, "PUT", args.get_signed_upload_url, around);
  if (args.get_signed_download_url !== undefined) return signedUrl(act, of, "GET", args.get_signed_download_url, around);
  if (args.upload_object !== undefined) return upload(act, of, args.upload_object, around);
  if (args.get_object !== undefined) return read(act, of, args.get_object, around);
  if (args.list_objects !== undefined) return list(act, of, args.list_objects, around);
  if (args.delete_object !== undefined) return remove(act, of, args.delete_object, around);
  if (args.send_message !== undefined) return send(act, of, args.send_message, around);
  throw new Failure("evaluation", "google needs exactly one operation");
}

const orNull = (shape: Shape): Shape => union(shape, nothing);
const link: Shape = object({ url: string, method: string, headers: object({}, string), expires_at: string });
const facts = { key: orNull(string), size: orNull(number), content_type: orNull(string), etag: orNull(string), modified: orNull(string) };

/** The text of a token has one of two names beside `token`, by a word that is mostly written. */
function tokenShape(args: Shape): Shape {
  const isId = argument(args, "use_id_token");
  const value = onlyValue(isId);
  const members: Readonly<Record<string, Shape>> = {
    ...{ token: string, token_type: string, authorization: string, expires_in: number, expires_at: string },
    ...(value === null || value === false ? { access_token: string } : value === true ? { id_token: string } : {}),
  };
  if (value !== undefined) return object(members);
  const names = ["access_token", "id_token"].map((name): [string, Member] => [name, { shape: string, optional: true }]);
  return object(new Map([...Object.entries(members).map(([name, shape]): [string, Member] => [name, { shape }]), ...names]));
}

function shapeOf(operation: Operation, args: Shape): Shape {
  switch (operation) {
    case "create_token":
      return tokenShape(args);
    case "create_token_raw":
      return anyObject;
    case "get_signed_upload_url":
    case "get_signed_download_url":
      return link;
    case "upload_object":
      return object({ bucket: string, ...facts });
    case "get_object":
      return object({
        ...{ bucket: string, key: string, size: number, content_type: orNull(string), etag: orNull(string) },
        ...{ encoding: string, content: string },
      });
    case "list_objects":
      return object({ objects: array(object(facts)), prefixes: array(string), truncated: boolean });
    case "delete_object":
      return object({ bucket: string, key: string, ok: boolean });
    case "send_message":
      return object({ name: string, message_id: string });
  }
}

/** The data of an action whose service has refused. */
const refusal: Shape = object(
  new Map<string, Member>([
    ["status", { shape: number }],
    ["code", { shape: string }],
    ["message", { shape: string }],
    ["details", { shape: any, optional: true }],
    ["headers", { shape: object({}, string), optional: true }],
  ]),
);

/** The operation is the key that is written. */
function shape(args: Shape): Shape {
  const operation = args.type === "object" ? operations.find((each) => args.members.has(each)) : undefined;
  if (operation === undefined) return any;
  const data = shapeOf(operation, argument(args, operation));
  return operation.startsWith("get_signed_") ? data : union(data, refusal);
}

export const spec: Action<GoogleArgs> = {
  summary: "Get tokens, objects of Cloud Storage and messages of Firebase sent, as a service account of Google.",
  schema,
  bounds: "64 MiB of an object, 100,000 objects of a list",
  effect: "network",
  statuses: true,
  credentials: { google: credential },
  asks,
  addresses: { endpoint: ["endpoint"] },
  secret: ["credential"],
  issues: {
    create_token: ["token", "access_token", "id_token", "authorization"],
    create_token_raw: ["access_token", "id_token"],
  },
  run: google,
  shape,
  failure: () => any,
};
