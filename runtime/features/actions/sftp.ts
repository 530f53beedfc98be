import { atOpenAddress } from "../../outgoing/open-server.ts";
import { touches } from "../../outgoing/touches.ts";
import type { Act } from "../../run/run.ts";
import { memberAt } from "../../shapes/edit.ts";
import { any, array, boolean, number, object, type Shape, string } from "../../shapes/shape.ts";
import { bytesOf } from "../../value/bytes.ts";
import { Failure } from "../../value/failure.ts";
import type { Json } from "../../value/json.ts";
import { text } from "../../value/values.ts";
import type { Action } from "../feature.ts";
import { operationFailure } from "./sftp/failures.ts";
import { fingerprintIn, pathOf } from "./sftp/fields.ts";
import type { Job } from "./sftp/job.ts";
import { type Encoding, type Operation, type Order, schema } from "./sftp/schema.ts";
import { defaultPort, type Server, type ServerArgs, serverOf } from "./sftp/server.ts";
import { serversOf } from "./sftp/servers.ts";
import { largestFile, tooLarge } from "./sftp/transfer.ts";

/** An `sftp` block after evaluation. A key that is absent was not written; null is a marker that gave nothing. */
export interface SftpArgs extends ServerArgs {
  readonly operation: Operation;
  readonly path: string | null;
  readonly to?: string | null;
  readonly content?: string | null;
  readonly encoding?: Encoding;
  readonly glob?: string | null;
  readonly sort?: Order;
  readonly limit?: number | null;
  /** Set by the compiler where the host comes from data: then its address is checked. */
  readonly from_data?: readonly "host"[];
}

/**
 * Works with files on another machine. `list` gives the entries of a folder, `get` `{path, size, encoding, content}`, `put` `{path, size}`,
 * `delete` and `mkdir` `{path, ok}`, `rename` `{from, to, ok}`. Nothing incomplete ever has the path of a `put`.
 */
export async function sftp(act: Act, args: SftpArgs): Promise<Json> {
  const job = jobOf(act, args);
  const declared = serverOf(args);
  touch(act, declared, job, args.from_data !== undefined);
  const server = args.from_data === undefined ? declared : await atOpenAddress("sftp", declared, act.run.host);
  act.throwIfCancelled();
  try {
    return await serversOf(act.run.host).perform(act, server, job);
  } catch (error) {
    throw operationFailure(args.operation, error);
  }
}

function touch({ run }: Act, { host, port }: Server, job: Job, fromData: boolean): void {
  touches(run, { kind: "hosts", name: port === defaultPort ? host : `${host}:${port}`, usualPort: defaultPort, fromData });
  const paths = job.operation === "rename" ? [job.path, job.to] : [job.path];
  for (const name of paths) touches(run, { kind: "files", name, of: host, verb: job.operation });
}

/** Checks the fields of the operation before anything is sent. */
function jobOf(act: Act, args: SftpArgs): Job {
  const { operation, encoding = "text", glob = null, sort = "name", limit = null } = args;
  if (limit !== null && limit < 1) throw new Failure("evaluation", `field limit: expected at least 1, got ${limit}`);
  const path = pathOf(args.path, "path");
  switch (operation) {
    case "list":
      return { operation, path, options: { glob, sort, limit } };
    case "get":
      return { operation, path, encoding };
    case "put":
      return { operation, path, bytes: contentOf(args.content ?? null, encoding), id: act.run.host.uuid() };
    case "rename":
      return { operation, path, to: pathOf(args.to ?? null, "to") };
    case "delete":
    case "mkdir":
      return { operation, path };
  }
}

function contentOf(content: string | null, encoding: Encoding): Buffer {
  if (content === null) throw new Failure("evaluation", "field content: expected text, got null");
  const bytes = encoding === "text" ? Buffer.from(content) : bytesOf(content, "base64");
  if (bytes === undefined) throw new Failure("evaluation", "field content: not base64");
  if (bytes.length > largestFile) throw tooLarge("put");
  return bytes;
}

function shapeOf(operation: unknown): Shape {
  switch (operation) {
    case "list":
      return array(object({ name: string, path: string, size: number, is_dir: boolean, modified: number }));
    case "get":
      return object({ path: string, size: number, encoding: string, content: string });
    case "put":
      return object({ path: string, size: number });
    case "delete":
    case "mkdir":
      return object({ path: string, ok: boolean });
    case "rename":
      return object({ from: string, to: string, ok: boolean });
    default:
      return any;
  }
}

/** The operation is written, never computed. */
function shape(args: Shape): Shape {
  const operation = args.type === "object" ? memberAt(args, "operation").shape : any;
  return shapeOf(operation.type === "string" ? operation.values?.[0] : undefined);
}

export const spec: Action<SftpArgs> = {
  summary: "Work with files on another machine by SFTP.",
  schema,
  bounds: "64 MiB of a file, 100,000 entries of a folder, and 8 connections to one server",
  effect: "network",
  addresses: { host: ["host"] },
  secret: ["password", "private_key", "private_key_passphrase"],
  asks: {
    host_key: (value) => fingerprintIn(text(value)),
    path: (value) => pathOf(text(value), "path"),
    to: (value) => pathOf(text(value), "to"),
  },
  run: sftp,
  shape,
};
