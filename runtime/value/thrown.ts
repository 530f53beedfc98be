/** The words of an error; anything else that was thrown as text. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The code that an error carries; undefined for an error without one. */
export const codeOf = (error: unknown): unknown => Object(error).code;

/** The code of an error of the system, such as ENOSPC, unlike those of Node's own errors, which begin with `ERR_`. */
export const isSystemCode = (code: string): boolean => /^E(?!RR_)[A-Z_]+$/.test(code);

/** The text for the log of an unexpected error: its stack when there is one. */
export const stackOf = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error));
