import { Failure } from "../../failure.ts";
import { header } from "../../fill.ts";
import { isObject, type Json } from "../../json.ts";
import { encodeForm } from "../../lib/form.ts";

/** Headers that describe the connection or the framing: the client writes them, a config cannot contradict it. */
const framing: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "expect",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Header names in lower case with their values; null drops a header, a later spelling of a name wins (language.md 5.1.1, 2.8 F). */
export function headersOf(given: Readonly<Record<string, Json>>): Map<string, string> {
  const headers = new Map([
    ["accept", "*/*"],
    // Some services refuse a request that does not say who asks.
    ["user-agent", "pipewright"],
  ]);
  for (const [key, value] of Object.entries(given)) {
    const name = key.toLowerCase();
    const line = header(value, name);
    if (line === null) headers.delete(name);
    else if (!framing.has(name)) headers.set(checkedName(name), bytesOfLine(line, name));
  }
  return headers;
}

function checkedName(name: string): string {
  if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name)) throw new Failure("evaluation", `header ${name}: invalid character`);
  return name;
}

/** Text beyond ASCII is sent as UTF-8; header values are written byte by byte. */
function bytesOfLine(line: string, name: string): string {
  if (/^[\t\x20-\x7e]*$/.test(line)) return line;
  if (/[^\P{Cc}\t]/u.test(line)) throw new Failure("evaluation", `header ${name}: invalid character`);
  return Buffer.from(line).toString("latin1");
}

/** The part of an `http` block that becomes the request body. */
export interface Payload {
  readonly body?: Json;
  readonly body_is_json?: boolean;
}

/** The bytes to send; sets the default content type, unless one is given (language.md 5.1.1). */
export function payloadOf({ body = null, body_is_json }: Payload, headers: Map<string, string>): string | null {
  if (body === null) return null;
  const type = headers.get("content-type");
  if (typeof body === "string") {
    if (type === undefined) headers.set("content-type", body_is_json ? "application/json" : "text/plain; charset=utf-8");
    return body;
  }
  if (isObject(body) && type !== undefined && /^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type)) return encodeForm(body);
  if (type === undefined) headers.set("content-type", "application/json");
  return JSON.stringify(body);
}
