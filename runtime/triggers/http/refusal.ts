import { STATUS_CODES } from "node:http";
import type { FormFault } from "../../formats/form.ts";
import { type Refusal, refusals } from "../../run/refusals.ts";
import type { Outgoing } from "./outgoing.ts";

/** The refusal of a form, or of a query, that cannot be read. */
export const formRefusal = (fault: FormFault): Refusal => (fault === "too many" ? refusals.tooManyFields : refusals.invalidParam);

/** Answers with the refusal; `allow` lists the methods of the path. */
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

/** The body of a refusal. Code and message hold only ASCII characters. */
const bodyOf = ({ code, message }: Refusal): string => JSON.stringify({ error: code, message });

/** The text of a refusal for a connection whose request could not be parsed. */
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
