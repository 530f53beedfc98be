import type { Host } from "../process/host.ts";
import { Failure } from "../value/failure.ts";

/** Where a store is: the nodes of a service share a database of PostgreSQL, a file of SQLite belongs to one machine. */
export type Address =
  | { readonly kind: "memory" }
  | { readonly kind: "sqlite"; readonly file: string }
  | { readonly kind: "postgres"; readonly url: string };

/** The address of the database by which processes of a service agree and hear each other; empty for none. */
export const sharedAddress = (host: Pick<Host, "env">): string =>
  host.env("PIPEWRIGHT_DATABASE_URL") || host.env("PIPEWRIGHT_STATE_DATABASE_URL") || "";

/** Reads what `variables` hold; a text that is no address fails with their names, without quoting it, since it may hold a password. */
export function readAddress(text: string, variables: string): Address {
  if (text === "") return { kind: "memory" };
  if (/^postgres(?:ql)?:\/\//i.test(text)) return { kind: "postgres", url: text };
  const file = /^sqlite:(?:\/\/)?(.+)$/i.exec(text)?.[1];
  if (file === undefined) throw new Failure("state", `${variables} postgres://… or sqlite:FILE`);
  return { kind: "sqlite", file };
}
