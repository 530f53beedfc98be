import type { Reply } from "../../run/response.ts";
import type { Outgoing } from "./outgoing.ts";

/** Headers that frame a message or belong to the connection: a config must not contradict the real message. */
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
 * answered with 500; the result is then false, so that the caller can log it.
 */
export function answer(response: Outgoing, reply: Reply, id: string, closes: boolean): boolean {
  try {
    if (reply.status < 200) throw new RangeError("status of an interim response");
    write(response, reply, id, closes);
    return true;
  } catch (error) {
    // Node checks the head before it writes any part of it.
    if (response.headersSent) throw error;
    // The reason phrase of the status that could not be sent.
    response.statusMessage = "";
    for (const name of response.getHeaderNames()) if (!/^(?:vary|access-control-.*)$/.test(name)) response.removeHeader(name);
    write(response, failed, id, closes);
    return false;
  }
}

function write(response: Outgoing, { status, headers, cookies = [], body: given }: Reply, id: string, closes: boolean): void {
  const body = hasNoContent(status) ? "" : given;
  const head: string[] = [];
  let isAscii = true;
  const add = (name: string, value: string): void => {
    const isPlain = !/[\u0080-\uffff]/.test(value);
    head.push(name, isPlain ? value : inBytes(value));
    isAscii &&= isPlain;
  };
  for (const name in headers) {
    const own = headers[name];
    const value = name === "vary" && own !== undefined && response.getHeaderNames().includes(name) ? withOrigin(own) : own;
    // An answer without content has no content type.
    if (value === undefined || reserved.has(name) || (hasNoContent(status) && name === "content-type")) continue;
    add(name, value);
  }
  for (const cookie of cookies) add("set-cookie", cookie);
  // Browsers must not guess another type: a text that looks like a page stays a text.
  if (headers["x-content-type-options"] === undefined) head.push("x-content-type-options", "nosniff");
  head.push("x-request-id", id);
  if (closes) head.push("connection", "close");
  // Answers with these statuses end after their heads, so that a length would mislead; the length of 205 is 0 (RFC 9110, 15.3.6).
  if (status !== 204 && status !== 304) head.push("content-length", String(Buffer.byteLength(body)));
  response.writeHead(status, head);
  // Node writes the head in the encoding of the text that follows, and unchanged before bytes.
  response.end(isAscii ? body : Buffer.from(body));
}

/** True for statuses without content: a caller takes bytes after such a head for the next answer. */
const hasNoContent = (status: number): boolean => status === 204 || status === 205;

/** Adds `origin` to the `vary` of an answer that allows one origin to read it: a cache must not give the answer to another origin. */
const withOrigin = (vary: string): string => (/(?:^|,)\s*(?:\*|origin)\s*(?:,|$)/i.test(vary) ? vary : `${vary}, Origin`);

/** A text in the form in which Node takes the value of a header: one character for each byte of its UTF-8. */
const inBytes = (value: string): string => Buffer.from(value).toString("latin1");
