import { Failure } from "../value/failure.ts";
import { isSystemCode, messageOf } from "../value/thrown.ts";

/** The store cannot be asked: the connection is lost, refused or too slow. It may do the same thing later. */
export class Outage extends Error {
  override readonly name = "Outage";
}

/**
 * Classes of SQLSTATE that say nothing about a statement: connection, transaction rolled back, resources, operator, system; also a lock
 * that others have, and a server that only reads, as it does when another one takes its place.
 */
const states = /^(?:08|40|53|57|58)[0-9A-Z]{3}$|^55P03$|^25006$/;

/** Primary codes of SQLite: busy, locked, no memory, fault of the disk, disk full, cannot be opened, protocol of locks. */
const files: ReadonlySet<number> = new Set([5, 6, 7, 10, 13, 14, 15]);

/**
 * True when the same call may succeed later, because the failure has nothing to do with the content of the call. Any other error comes
 * again however often it is repeated: a character or a value that is refused, a rule of a table, a bug.
 */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof Outage) return true;
  if (error instanceof Failure) return error.kind === "timeout" || isOutage(error.details.cause);
  if ("errcode" in error && typeof error.errcode === "number") return files.has(error.errcode & 0xff);
  return "code" in error && typeof error.code === "string" && (states.test(error.code) || isSystemCode(error.code));
}

/** Says why a store does not answer, so that an operator knows what to do. */
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

/** An error of a connection, whatever its driver calls it. */
export const outage = (error: Error): Error =>
  isOutage(error) ? error : Object.assign(new Outage(error.message, { cause: error }), "code" in error ? { code: error.code } : {});
