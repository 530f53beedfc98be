import type { Reply } from "../../run/response.ts";
import type { Outgoing } from "./outgoing.ts";

/** Headers that say how a message is framed, or who it belongs to: a config cannot contradict what is really sent. */
const reserved: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "keep-alive",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "x-request-id",
]);

const failed: Reply = { status: 500, headers: { "content-type": "application/json" }, body: '{"error":"response failed"}' };

/**
 * Writes the answer of a run. A reply that cannot be a message (a line break or a control character in a header, a status below 200) is
 * answered by 500; gives false then, so that the caller can log it.
 */
export function answer(response: Outgoing, reply: Reply, id: string, closes: boolean): boolean {
  try {
    if (reply.status < 200) throw new RangeError("status of an interim response");
    write(response, reply, id, closes);
    return true;
  } catch (error) {
    // Node has checked the head before it wrote anything.
    if (response.headersSent) throw error;
    // The words of the status that could not be sent.
    response.statusMessage = "";
    for (const name of response.getHeaderNames()) if (!/^(?:vary|access-control-.*)$/.test(name)) response.removeHeader(name);
    write(response, failed, id, closes);
    return false;
  }
}

function write(response: Outgoing, { status, headers, body: given }: Reply, id: string, closes: boolean): void {
  const body = hasNoContent(status) ? "" : given;
  const head: string[] = [];
  let isAscii = true;
  for (const name in headers) {
    const own = headers[name];
    const value = name === "vary" && own !== undefined && response.getHeaderNames().includes(name) ? withOrigin(own) : own;
    // An answer without content has no type of it.
    if (value === undefined || reserved.has(name) || (hasNoContent(status) && name === "content-type")) continue;
    const isPlain = !/[\u0080-\uffff]/.test(value);
    head.push(name, isPlain ? value : inBytes(value));
    isAscii &&= isPlain;
  }
  // Browsers must use the given type: a text that looks like a page is still a text.
  if (headers["x-content-type-options"] === undefined) head.push("x-content-type-options", "nosniff");
  head.push("x-request-id", id);
  if (closes) head.push("connection", "close");
  // Answers with these statuses end behind their heads, so a length would mislead; that of 205 is 0 (RFC 9110, 15.3.6).
  if (status !== 204 && status !== 304) head.push("content-length", String(Buffer.byteLength(body)));
  response.writeHead(status, head);
  // Node writes a head together with a text in the encoding of the text, and beside bytes as it is.
  response.end(isAscii ? body : Buffer.from(body));
}

/** A caller that gets one of these statuses takes what comes behind the head for the next answer. */
const hasNoContent = (status: number): boolean => status === 204 || status === 205;

/** The `vary` of an answer to whose origin it was said that it may read: a cache must not give it to another one. */
const withOrigin = (vary: string): string => (/(?:^|,)\s*(?:\*|origin)\s*(?:,|$)/i.test(vary) ? vary : `${vary}, Origin`);

/** A text as Node takes the value of a header: a character for each byte of its UTF-8. */
const inBytes = (value: string): string => Buffer.from(value).toString("latin1");
