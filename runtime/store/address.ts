import type { Host } from "../process/host.ts";
import { Failure } from "../value/failure.ts";

/**
 * The place of a store: a database of PostgreSQL, which the nodes of a service share, or a file of SQLite, which belongs to one machine.
 */
export type Address =
  | { readonly kind: "memory" }
  | { readonly kind: "sqlite"; readonly file: string }
  | { readonly kind: "postgres"; readonly url: string };

/** The address of the database by which the processes of a service coordinate and exchange messages; empty for none. */
export const sharedAddress = (host: Pick<Host, "env">): string =>
  host.env("PIPEWRIGHT_DATABASE_URL") || host.env("PIPEWRIGHT_STATE_DATABASE_URL") || "";

/** True for the address of a PostgreSQL, which the nodes of a service may share. */
export const isPostgres = (address: string): boolean => /^postgres(?:ql)?:\/\//i.test(address);

/**
 * Reads the address in `variables`. A text that is no address fails with the names of the variables; the text is not quoted, since it may
 * hold a password.
 */
export function readAddress(text: string, variables: string): Address {
  if (text === "") return { kind: "memory" };
  if (isPostgres(text)) return { kind: "postgres", url: text };
  const file = /^sqlite:(?:\/\/)?(.+)$/i.exec(text)?.[1];
  if (file === undefined) throw new Failure("state", `${variables} postgres://… or sqlite:FILE`);
  return { kind: "sqlite", file };
}
