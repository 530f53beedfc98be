import type { Reader } from "./reader.ts";
import type { Jq } from "./tree.ts";

/** Reads a string literal with its interpolated filters. */
export function readString(reader: Reader, format?: string): Jq {
  const token = reader.takeString() ?? reader.fail("a string is missing");
  const parts = token.parts.map((part) => (typeof part === "string" ? part : reader.inner(part))).filter((part) => part !== "");
  return { kind: "string", parts, ...(format === undefined ? {} : { format }), start: token.start, end: token.end };
}
