import { Failure } from "./failure.ts";

/** Thrown for a store that must not be used in its present state, by any caller. The message says what to do. */
export class Unusable extends Error {
  override readonly name = "Unusable";
}

/** The reason why a store must not be used, also when it is the cause of the failure that a caller got; undefined for any other error. */
export function unusable(error: unknown): Unusable | undefined {
  if (error instanceof Unusable) return error;
  return error instanceof Failure ? unusable(error.details.cause) : undefined;
}
