import { isSystemCode, messageOf } from "../value/thrown.ts";
import { Unusable } from "../value/unusable.ts";

/** The primary code of an error of SQLite, which is the last byte of the extended code; undefined for other errors. */
const codeOf = (error: unknown): number | undefined =>
  error instanceof Error && "errcode" in error && typeof error.errcode === "number" ? error.errcode & 0xff : undefined;

const codes = { busy: 5, readOnly: 8, fault: 10, corrupt: 11, full: 13, cannotOpen: 14, notADatabase: 26 } as const;

/** Codes of errors for which a file cannot be opened. For an open file they say that its disk cannot be written. */
const opening: ReadonlySet<number | undefined> = new Set([codes.readOnly, codes.fault, codes.full, codes.cannotOpen]);

/** True when another process has the lock: no change was made, and the call may be repeated. */
export const isBusy = (error: unknown): boolean => codeOf(error) === codes.busy;

/** True when the disk is full. */
export const isFull = (error: unknown): boolean => codeOf(error) === codes.full;

/** True when the system, or SQLite, cannot open a file. */
export const isOpening = (error: unknown): boolean =>
  opening.has(codeOf(error)) || (error instanceof Error && "code" in error && typeof error.code === "string" && isSystemCode(error.code));

/** Adds a remedy to an error about a damaged file. Any other error stays as it is. */
export function damaged(error: unknown, path: string, isSure = false): unknown {
  const code = codeOf(error);
  if (!isSure && code !== codes.corrupt && code !== codes.notADatabase) return error;
  const reason = messageOf(error);
  return new Unusable(`the file of the store, ${path}, is damaged (${reason}): restore it from a backup, or move it away to begin anew`, {
    cause: error,
  });
}
