import type { Json } from "../../../value/json.ts";
import { type ListOptions, listed } from "./listing.ts";
import { get, mkdir, put, remove, rename } from "./operations.ts";
import type { Encoding } from "./schema.ts";
import type { Session } from "./session.ts";

/** The work of one action, whose fields were checked. */
export type Job =
  | { readonly operation: "list"; readonly path: string; readonly options: ListOptions }
  | { readonly operation: "get"; readonly path: string; readonly encoding: Encoding }
  /** `id` names the file until it is complete. */
  | { readonly operation: "put"; readonly path: string; readonly bytes: Buffer; readonly id: string }
  | { readonly operation: "rename"; readonly path: string; readonly to: string }
  | { readonly operation: "delete" | "mkdir"; readonly path: string };

/** Does the work on a connection; gives the data of the action. */
export function perform(session: Session, job: Job): Promise<Json> {
  switch (job.operation) {
    case "list":
      return listed(session, job.path, job.options);
    case "get":
      return get(session, job.path, job.encoding);
    case "put":
      return put(session, job.path, job.bytes, job.id);
    case "rename":
      return rename(session, job.path, job.to);
    case "delete":
      return remove(session, job.path);
    case "mkdir":
      return mkdir(session, job.path);
  }
}
