import { Failure } from "../../../value/failure.ts";
import type { Json } from "../../../value/json.ts";
import { text } from "../../../value/values.ts";

/** Reads the scheme of the URLs. With anything else in it the scheme would be the beginning of another address. */
export function schemeOf(value: Json): string {
  const scheme = value === null ? "http" : text(value);
  if (/^[a-z][a-z0-9+.-]*$/i.test(scheme)) return scheme;
  throw new Failure("evaluation", `field scheme: expected a scheme, such as https, got '${scheme}'`);
}
