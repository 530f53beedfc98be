/** The words of an error; anything else that was thrown as text. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The code of an error of the system, such as ENOSPC, unlike those of Node's own errors, which begin with `ERR_`. */
export const isSystemCode = (code: string): boolean => /^E(?!RR_)[A-Z_]+$/.test(code);

/** The text that the log has of an error which nobody meant to throw. */
export const stackOf = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error));
