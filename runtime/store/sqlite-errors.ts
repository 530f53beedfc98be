import { Unusable } from "./unusable.ts";

/** The primary code of an error of SQLite, which is the last byte of any of its codes; undefined for other errors. */
const codeOf = (error: unknown): number | undefined =>
  error instanceof Error && "errcode" in error && typeof error.errcode === "number" ? error.errcode & 0xff : undefined;

const codes = { busy: 5, corrupt: 11, notADatabase: 26 } as const;

/** Another process has the lock: nothing has happened, and it may be tried again. */
export const isBusy = (error: unknown): boolean => codeOf(error) === codes.busy;

/** Says of an error about a damaged file what to do. Any other error stays as it is. */
export function damaged(error: unknown, isSure = false): unknown {
  const code = codeOf(error);
  if (!isSure && code !== codes.corrupt && code !== codes.notADatabase) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new Unusable(`the file of the store is damaged (${reason}): restore it from a backup, or move it away to begin anew`, {
    cause: error,
  });
}
