import { Failure } from "./failure.ts";
import { loneSurrogate } from "./utf8.ts";

/** The text with its percent-encoding decoded; the text itself if it is malformed. */
export function decodedOrSame(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** One of ECMAScript's four URI functions; what it cannot encode (a lone surrogate) or decode fails. */
export function percent(change: (text: string) => string, text: string): string {
  try {
    return change(text);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    throw new Failure("transform", text.isWellFormed() ? "malformed percent-encoding" : loneSurrogate, { cause: error });
  }
}
