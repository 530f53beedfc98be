import { Failure } from "../value/failure.ts";
import { isSystemCode, messageOf } from "../value/thrown.ts";

/** The store cannot answer: the connection is lost, refused or too slow. The same call may succeed later. */
export class Outage extends Error {
  override readonly name = "Outage";
}

/**
 * States of SQL for errors that have nothing to do with the statement. The classes are connection, rolled back transaction, resources,
 * operator and system. The two others say that another session has a lock, and that the server is read-only because another server takes
 * over.
 */
const states = /^(?:08|40|53|57|58)[0-9A-Z]{3}$|^55P03$|^25006$/;

/** Primary codes of SQLite: busy, locked, out of memory, I/O error, disk full, cannot open, lock protocol. */
const files: ReadonlySet<number> = new Set([5, 6, 7, 10, 13, 14, 15]);

/**
 * True when the same call may succeed later, because the failure does not depend on the content of the call. Any other error comes back at
 * each repetition: a refused character or value, a rule of a table, a bug.
 */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof Outage) return true;
  if (error instanceof Failure) return error.kind === "timeout" || isOutage(error.details.cause);
  if ("errcode" in error && typeof error.errcode === "number") return files.has(error.errcode & 0xff);
  return "code" in error && typeof error.code === "string" && (states.test(error.code) || isSystemCode(error.code));
}

/** The reason why a store does not answer, with a remedy for the operator. */
export function outageReason(error: unknown): string {
  const reason = messageOf(error);
  if (isNoRoom(error)) return `its disk is full, give it room (${reason})`;
  const isFault = error instanceof Error && "errcode" in error && typeof error.errcode === "number" && (error.errcode & 0xff) === 10;
  return isFault ? `its disk cannot be written, see what the system logs of it (${reason})` : reason;
}

/** True when SQLite, PostgreSQL or the system finds no room. */
function isNoRoom(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ("errcode" in error && typeof error.errcode === "number") return (error.errcode & 0xff) === 13;
  return "code" in error && (error.code === "53100" || error.code === "ENOSPC");
}

/** Turns an error of a connection into an outage, whatever class its driver uses. */
export const outage = (error: Error): Error =>
  isOutage(error) ? error : Object.assign(new Outage(error.message, { cause: error }), "code" in error ? { code: error.code } : {});
