import { Failure } from "../../value/failure.ts";

/** The author's message for a value that could not be evaluated; undefined when the message cannot be evaluated either. */
export function ownMessage(error_message: (() => string | null) | undefined): string | undefined {
  try {
    return error_message?.() ?? undefined;
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}
