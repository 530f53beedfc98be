import { isSystemCode, messageOf } from "../value/thrown.ts";
import { Unusable } from "../value/unusable.ts";

/** The primary code of an error of SQLite, which is the last byte of any of its codes; undefined for other errors. */
const codeOf = (error: unknown): number | undefined =>
  error instanceof Error && "errcode" in error && typeof error.errcode === "number" ? error.errcode & 0xff : undefined;

const codes = { busy: 5, readOnly: 8, fault: 10, corrupt: 11, full: 13, cannotOpen: 14, notADatabase: 26 } as const;

/** Codes of what keeps a file from being opened. Of a file that is open, they say that its disk does not take what is written. */
const opening: ReadonlySet<number | undefined> = new Set([codes.readOnly, codes.fault, codes.full, codes.cannotOpen]);

/** Another process has the lock: nothing has happened, and it may be tried again. */
export const isBusy = (error: unknown): boolean => codeOf(error) === codes.busy;

/** The disk has no room. */
export const isFull = (error: unknown): boolean => codeOf(error) === codes.full;

/** The system, or SQLite for it, does not let a file be opened. */
export const isOpening = (error: unknown): boolean =>
  opening.has(codeOf(error)) || (error instanceof Error && "code" in error && typeof error.code === "string" && isSystemCode(error.code));

/** Says of an error about a damaged file what to do. Any other error stays as it is. */
export function damaged(error: unknown, path: string, isSure = false): unknown {
  const code = codeOf(error);
  if (!isSure && code !== codes.corrupt && code !== codes.notADatabase) return error;
  const reason = messageOf(error);
  return new Unusable(`the file of the store, ${path}, is damaged (${reason}): restore it from a backup, or move it away to begin anew`, {
    cause: error,
  });
}
