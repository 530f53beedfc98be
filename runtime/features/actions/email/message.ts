import { createHash } from "node:crypto";
import type { SendMailOptions } from "nodemailer";
import { touches } from "../../../outgoing/touches.ts";
import type { Act } from "../../../run/run.ts";
import { Failure } from "../../../value/failure.ts";
import { header } from "../../../value/holes.ts";
import { isObject, type Json, type JsonObject, own, typeOf } from "../../../value/json.ts";
import { show } from "../../../value/show.ts";
import { string, strings } from "../../../value/values.ts";

/** One mail, in the words of the YAML. Fields of rows arrive as they are, so that every one is read with care; null means unset. */
export type Message = JsonObject;

export const messageFields: readonly string[] = [
  ...["from", "to", "cc", "bcc", "reply_to", "subject", "text", "html", "attachments", "headers"],
];

/** The most bytes of bodies and attachments together, before they are encoded (spec/surfaces 15). */
const maxContent = 26_214_400;
/** Characters of a field that becomes headers, all of its texts together: it bounds the work of reading and encoding them. */
const maxHeaderText = 65_536;
const maxReceivers = 1000;

interface Mailbox {
  readonly name: string;
  readonly address: string;
}

type ParseAddresses = (list: string) => readonly Mailbox[];

/**
 * A mail for nodemailer. Throws `Failure` for a line break in anything that becomes a header (spec/language 2.8 F), for what is no address,
 * and for more than 25 MiB. Its Message-ID is that of the run, the action and the row, so that a repetition is known as one.
 */
export function mailOf(act: Act, message: Message, row: number, parse: ParseAddresses): SendMailOptions {
  const field = (name: string): Json => own(message, name) ?? null;
  const boxes = (name: string): Mailbox[] => addresses(field(name), name, parse);
  const [from, ...more] = boxes("from");
  if (from === undefined) throw bad("email needs a sender (from)");
  if (more.length > 0) throw bad("email has more than one sender (from)");
  const [to, cc, bcc] = [boxes("to"), boxes("cc"), boxes("bcc")];
  const receivers = to.length + cc.length + bcc.length;
  if (receivers === 0) throw bad("email needs a receiver (to, cc or bcc)");
  if (receivers > maxReceivers) throw bad(`email has more than ${maxReceivers} receivers`);
  touches(act.run, { kind: "mail_senders", name: from.address });
  for (const { address } of [...to, ...cc, ...bcc]) touches(act.run, { kind: "mail_recipients", name: address });
  const [text, html] = [bodyOf(field("text")), bodyOf(field("html"))];
  const attachments = attachmentsOf(field("attachments"));
  const size = [text, html].reduce((sum, part) => sum + Buffer.byteLength(part ?? ""), 0);
  if (attachments.reduce((sum, { content }) => sum + content.length, size) > maxContent) throw bad(`email exceeds ${maxContent} bytes`);
  return {
    from,
    ...{ to, cc, bcc, replyTo: boxes("reply_to"), attachments },
    subject: foldable([header(string(field("subject")), "subject") ?? ""], "subject").join(""),
    ...(text === null && html !== null ? {} : { text: text ?? "" }),
    ...(html === null ? {} : { html }),
    headers: headersOf(field("headers")),
    messageId: messageId(act, row, from.address),
    date: new Date(act.run.host.now()),
    xMailer: false,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** A carriage return alone becomes a line break: no server may get one (RFC 5321, 2.3.8), and to some `\r.\r` is the end of the mail. */
const bodyOf = (value: Json): string | null => string(value)?.replace(/\r(?!\n)/g, "\n") ?? null;

const bad = (reason: string): Failure => new Failure("evaluation", reason);

/** The Message-ID of a mail. The items of a lookup have the same run id as the request, so their data are a part of it. */
function messageId({ run, name }: Act, row: number, from: string): string {
  const item = run.received === run.input ? null : run.body;
  const key = JSON.stringify([run.config.name, run.interface.name, run.id, name, row, item]);
  const digest = createHash("sha256").update(key).digest("hex").slice(0, 40);
  return `<${digest}@${from.slice(from.lastIndexOf("@") + 1)}>`;
}

function bounded(lines: readonly string[], field: string): readonly string[] {
  if (lines.reduce((sum, line) => sum + line.length, 0) > maxHeaderText) throw bad(`field ${field}: too long`);
  return lines;
}

/** A line of a mail has at most 998 characters, and is folded between words (RFC 5322, 2.1.1). */
function foldable(lines: readonly string[], field: string): readonly string[] {
  if (bounded(lines, field).some((line) => /[!-~]{900}/.test(line))) throw bad(`field ${field}: a word has 900 characters or more`);
  return lines;
}

function addresses(value: Json, field: string, parse: ParseAddresses): Mailbox[] {
  const lines = (strings(value, field) ?? []).map((line) => header(line, field) ?? "");
  return bounded(lines, field)
    .flatMap((line) => parse(line))
    .map(({ name, address }) => ({ name, address: checkedAddress(address || name, field) }));
}

/**
 * True for a plain address, in any script. Quoted addresses and addresses of hosts without a name are refused, because they are hardly ever
 * meant.
 */
function checkedAddress(address: string, field: string): string {
  const isAddress = address.length <= 320 && /^[^\s@<>()[\]\\,;:"\p{Cc}]+@[^\s@<>()[\]\\,;:"\p{Cc}]+$/u.test(address);
  if (!isAddress) throw bad(`field ${field}: '${show(address)}' is not an address`);
  return address;
}

/**
 * Refuses a text when one of its plain parts is no address. It checks texts of the configuration without loading nodemailer, to which
 * names, quotes, comments and groups are left.
 */
export function askAddresses(value: Json, field: string): void {
  for (const line of (strings(value, field) ?? []).map((one) => header(one, field) ?? "")) {
    const parts = line.split(",").map((part) => part.trim());
    if (parts.some((part) => /[:;"()<>]|@.*[@\s]|\s.*@/.test(part))) continue;
    for (const part of parts) if (part !== "") checkedAddress(part, field);
  }
}

/** Headers that fields of the action write, or that say how the content is to be read. */
const reserved =
  /^(?:from|sender|to|cc|bcc|reply-to|subject|date|message-id|mime-version|content-.*|return-path|received|dkim-signature|resent-.*)$/i;

export function headersOf(value: Json): { key: string; value: string }[] {
  if (value === null) return [];
  if (!isObject(value)) throw bad(`field headers: expected object, got ${typeOf(value)}`);
  const lines = Object.entries(value).flatMap(([key, content]) => {
    if (!/^[A-Za-z0-9-]{1,76}$/.test(key)) throw bad("header name: invalid character");
    if (reserved.test(key)) throw bad(`field headers: '${key}' cannot be set`);
    const line = header(content, key);
    return line === null ? [] : [{ key, value: line }];
  });
  foldable(
    lines.map(({ key, value }) => `${key}: ${value}`),
    "headers",
  );
  return lines;
}

interface Attachment {
  readonly filename: string;
  readonly content: Buffer;
  readonly contentType: string;
}

function attachmentsOf(value: Json): Attachment[] {
  if (value === null) return [];
  if (!Array.isArray(value)) throw bad(`field attachments: expected array, got ${typeOf(value)}`);
  return value.map(attachmentOf);
}

/** Takes only content that stands in the mail itself: a field never names a file or an address to fetch. */
function attachmentOf(value: Json): Attachment {
  if (!isObject(value)) throw bad(`field attachments: expected object, got ${typeOf(value)}`);
  const field = (name: string): string | null => string(own(value, name) ?? null);
  const content = field("content");
  const filename = header(field("filename"), "filename");
  if (content === null || filename === null) throw bad(`field attachments: ${content === null ? "content" : "filename"} is unset`);
  const contentType = field("content_type") || "application/octet-stream";
  if (!/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:; ?[\w-]+=[\w.+-]+)*$/.test(contentType)) throw bad("field content_type: not a content type");
  const encoding = field("encoding") ?? "base64";
  return { filename: safeName(filename), content: contentOf(content, encoding), contentType: withCharset(contentType, encoding) };
}

/** Says that a text is UTF-8 where it was given as one: mail programs take a text without a charset for ASCII. */
const withCharset = (contentType: string, encoding: string): string =>
  encoding === "utf8" && /^text\//i.test(contentType) && !/; ?charset=/i.test(contentType) ? `${contentType}; charset=utf-8` : contentType;

/**
 * The last part of a path, without characters that could hide the true ending of the name: control characters, and marks that turn the
 * direction of writing.
 */
function safeName(filename: string): string {
  const last = filename.slice(Math.max(filename.lastIndexOf("/"), filename.lastIndexOf("\\")) + 1);
  const name = last.replace(/[\p{Cc}\p{Cf}"]/gu, "").slice(0, 200);
  return /^\.*$/.test(name) ? "attachment" : name;
}

/** Base64 of RFC 4648 with its padding; lines may be broken, as MIME breaks them. */
function contentOf(text: string, encoding: string): Buffer {
  if (encoding === "utf8") return Buffer.from(text);
  if (encoding !== "base64") throw bad(`field encoding: expected base64 or utf8, got '${show(encoding)}'`);
  // A text of this length cannot fit, so it is not read.
  if (text.length > maxContent * 2) throw bad(`email exceeds ${maxContent} bytes`);
  const digits = text.replace(/\r?\n/g, "");
  if (digits.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(digits)) throw bad("field content: not Base64");
  return Buffer.from(digits, "base64");
}
