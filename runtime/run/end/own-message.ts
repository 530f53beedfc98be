import { Failure } from "../../value/failure.ts";

/** The message of the author in place of one that says why something could not be evaluated; undefined when it cannot be either. */
export function ownMessage(error_message: (() => string | null) | undefined): string | undefined {
  try {
    return error_message?.() ?? undefined;
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}
