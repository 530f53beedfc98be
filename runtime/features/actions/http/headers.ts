import { hopsName } from "../../../outgoing/hops.ts";
import { Failure } from "../../../value/failure.ts";
import { header } from "../../../value/holes.ts";
import type { Json } from "../../../value/json.ts";

/** Headers that describe the connection, the framing or the depth of the run: the client writes them, a config cannot contradict it. */
const framing: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "expect",
  "keep-alive",
  hopsName,
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/**
 * Header names in lower case with their values; null drops a header, a later spelling of a name wins (spec/language 5.1.1, 2.8 F). Headers
 * that are passed on from the incoming request come first.
 */
export function headersOf(fields: Readonly<Record<string, Json>>, passed: Iterable<readonly [string, Json]> = []): Map<string, string> {
  const headers = new Map<string, string>();
  headers.set("accept", "*/*");
  // Some services refuse a request without a `user-agent`.
  headers.set("user-agent", "pipewright");
  for (const [name, value] of passed) set(headers, name, value);
  for (const name in fields) set(headers, name, fields[name] ?? null);
  return headers;
}

function set(headers: Map<string, string>, key: string, value: Json): void {
  const name = key.toLowerCase();
  const line = header(value, name);
  if (line === null) headers.delete(name);
  else if (!framing.has(name)) headers.set(checkedName(name), bytesOfLine(line, name));
}

export function checkedName(name: string): string {
  if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name)) throw new Failure("evaluation", `header ${name}: invalid character`);
  return name;
}

/** Text beyond ASCII is sent as UTF-8; header values are written byte by byte. */
export function bytesOfLine(line: string, name: string): string {
  if (/^[\t\x20-\x7e]*$/.test(line)) return line;
  if (/[^\P{Cc}\t]/u.test(line)) throw new Failure("evaluation", `header ${name}: invalid character`);
  return Buffer.from(line).toString("latin1");
}
