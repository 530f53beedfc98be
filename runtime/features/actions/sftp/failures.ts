import { Failure } from "../../../value/failure.ts";

/** Status codes of SFTP (draft-ietf-secsh-filexfer-02, 7) that have words of their own. */
const words: Readonly<Record<number, string>> = { 2: "no such file", 3: "permission denied", 8: "the server cannot do this" };

export const status = { eof: 1, noSuchFile: 2, failure: 4, unsupported: 8 } as const;

/** The status with which the server has answered; undefined for any other error. */
export const statusOf = (error: unknown): number | undefined =>
  error instanceof Error && !(error instanceof Failure) && "code" in error && typeof error.code === "number" ? error.code : undefined;

/** True when the server does not know the operation: it says so, or it has not offered the operation. */
export const isUnsupported = (error: unknown): boolean =>
  statusOf(error) === status.unsupported || (error instanceof Error && error.message === "Server does not support this extended request");

/**
 * The error of an operation as a failure of its action, with one line of the server's message. An error without a status is a bug and stays
 * as it is.
 */
export function operationFailure(operation: string, error: unknown): unknown {
  const code = statusOf(error);
  if (code === undefined || !(error instanceof Error)) return error;
  const text = error.message
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim()
    .slice(0, 200);
  return new Failure("transport", `sftp ${operation}: ${words[code] ?? text}`, { upstream: 502, cause: error });
}
