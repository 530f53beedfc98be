import { STATUS_CODES } from "node:http";
import type { FormFault } from "../../formats/form.ts";
import { type Refusal, refusals } from "../../run/refusals.ts";
import type { Outgoing } from "./outgoing.ts";

/** The answer to a request whose form, or query, cannot be read. */
export const formRefusal = (fault: FormFault): Refusal => (fault === "too many" ? refusals.tooManyFields : refusals.invalidParam);

/** Answers with the refusal; `allow` names the methods that would have been served. */
export function refuse(response: Outgoing, refusal: Refusal, id: string | undefined, allow?: readonly string[]): void {
  const body = bodyOf(refusal);
  const head = ["content-type", "application/json", "content-length", String(body.length), "x-content-type-options", "nosniff"];
  if (id !== undefined) head.push("x-request-id", id);
  if (allow !== undefined) head.push("allow", allow.join(", "));
  if (refusal.retryAfter !== undefined) head.push("retry-after", String(refusal.retryAfter));
  if (refusal.headers !== undefined) head.push(...refusal.headers);
  if (refusal.closes) head.push("connection", "close");
  response.writeHead(refusal.status, head);
  response.end(body);
}

/** Neither of them has a character that is more than a byte. */
const bodyOf = ({ code, message }: Refusal): string => JSON.stringify({ error: code, message });

/** Refuses on a connection whose request could not even be parsed. */
export function rawRefusal(refusal: Refusal): string {
  const { status } = refusal;
  const body = bodyOf(refusal);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "content-type: application/json",
    `content-length: ${body.length}`,
    "connection: close",
  ];
  return `${head.join("\r\n")}\r\n\r\n${body}`;
}
