import { Failure } from "./failure.ts";

/** A store that must not be used as it is, whoever asks again: the message says what to do. */
export class Unusable extends Error {
  override readonly name = "Unusable";
}

/** The reason why a store must not be used, also behind an error that a caller was told; undefined for an error of another kind. */
export function unusable(error: unknown): Unusable | undefined {
  if (error instanceof Unusable) return error;
  return error instanceof Failure ? unusable(error.details.cause) : undefined;
}
