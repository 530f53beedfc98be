import { isIP } from "node:net";
import type { SendMailOptions } from "nodemailer";
import { readableReason } from "../../../outgoing/connection-reason.ts";
import { isLoopback } from "../../../outgoing/secure-way.ts";
import type { Host, Resource } from "../../../process/host.ts";
import type { Act } from "../../../run/run.ts";
import { Failure } from "../../../value/failure.ts";
import { header } from "../../../value/holes.ts";
import type { JsonObject } from "../../../value/json.ts";
import { Redactor } from "../../../value/redact.ts";
import { needsUtf8, offersUtf8 } from "./utf8.ts";

/** A mail server as the action names it. Null means unset. */
export interface SmtpArgs {
  readonly server: string;
  readonly port?: number | null;
  readonly user?: string | null;
  readonly pass?: string | null;
  readonly tls?: boolean | null;
}

/** A server whose settings were checked. */
export interface Server {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  readonly login: { readonly user: string; readonly pass: string } | undefined;
  /** Its name, where `host` is an address that was found for it. */
  readonly name?: string;
}

type Nodemailer = typeof import("nodemailer");
type Pool = ReturnType<typeof openPool>;

/** The way to one server. */
interface MailWay {
  readonly pool: Pick<Pool, "sendMail">;
  /** The Message-IDs of mails under way whose envelope is being sent: the server may have taken them. */
  readonly begun: Set<string>;
  /** Asks the server whether it takes addresses beyond ASCII; absent where a test stands in for it. */
  readonly offersUtf8?: (signal: AbortSignal) => Promise<boolean>;
}

/** Milliseconds until a server greets, and of silence after that; the `timeout` of the action bounds the whole. */
const connectTimeout = 30_000;
const silence = 60_000;

/** Connections to one server. */
export const connectionsPerServer = 5;

/** The most servers whose connections stay open; markers could name new ones without end. */
const mostServers = 32;

/** Throws `Failure`: a login never goes out in plain text, but to this machine (spec/surfaces 15). */
export function serverOf({ server, port, user, pass, tls }: SmtpArgs): Server {
  const name = server.trim();
  if (name === "" || /[\s/@\p{Cc}]/u.test(name)) throw new Failure("evaluation", "field server: not a host");
  if (name.includes(":") && isIP(name) === 0) throw new Failure("evaluation", "field server: not a host; its port stands in 'port'");
  const checked = port ?? 587;
  if (checked < 1 || checked > 65_535) throw new Failure("evaluation", `field port: expected 1 to 65535, got ${checked}`);
  const login =
    user === undefined || user === null ? undefined : { user: header(user, "user") ?? "", pass: header(pass ?? "", "pass") ?? "" };
  const encrypted = checked === 465 || tls !== false;
  if (login !== undefined && !encrypted && !isLoopback(name)) throw new Failure("evaluation", "email: a login needs tls");
  return { host: name, port: checked, tls: encrypted, login };
}

/** The ways to mail servers that a host has: the pools of a process, or what a test puts in their place. */
export interface MailServers extends Resource {
  readonly get: (nodemailer: Nodemailer, server: Server) => MailWay;
}

/** The pools of a process, by server and login. nodemailer is loaded by the first mail. */
class Mailers implements MailServers {
  readonly #ways = new Map<string, MailWay & { readonly pool: Pool }>();

  get(nodemailer: Nodemailer, server: Server): MailWay {
    const key = JSON.stringify(server);
    const way = this.#ways.get(key) ?? open(nodemailer, server);
    this.#ways.delete(key);
    this.#ways.set(key, way);
    const [oldest] = this.#ways;
    // A pool that is closed delivers the mails it has begun; later mails open it again.
    if (oldest !== undefined && this.#ways.size > mostServers) {
      this.#ways.delete(oldest[0]);
      oldest[1].pool.close();
    }
    return way;
  }

  close(): void {
    for (const { pool } of this.#ways.values()) pool.close();
    this.#ways.clear();
  }
}

function open(nodemailer: Nodemailer, server: Server): MailWay & { readonly pool: Pool } {
  const begun = new Set<string>();
  return { pool: openPool(nodemailer, server, begun), begun, offersUtf8: (signal) => offersUtf8(optionsOf(server), signal) };
}

/**
 * `begun` gets the Message-ID of each mail before its envelope is sent, since the error of a connection does not tell whether that has
 * happened.
 */
function openPool({ createTransport }: Nodemailer, server: Server, begun: Set<string>) {
  const { login } = server;
  return createTransport({
    ...{ pool: true as const, maxConnections: connectionsPerServer },
    ...optionsOf(server),
    ...(login === undefined ? {} : { auth: { ...login } }),
    logger: loggerOf(begun),
  });
}

/** The options of each connection to a server. */
function optionsOf({ host, port, tls, name }: Server) {
  const secure = port === 465;
  const servername = name === undefined || isIP(name) !== 0 ? {} : { servername: name };
  return {
    ...{ host, port, secure },
    // A server that offers no TLS is refused, never spoken to in plain text.
    ...(tls ? { requireTLS: !secure, tls: { minVersion: "TLSv1.2" as const, ...servername } } : { ignoreTLS: true }),
    ...{ connectionTimeout: connectTimeout, greetingTimeout: connectTimeout, dnsTimeout: connectTimeout, socketTimeout: silence },
  };
}

/**
 * A logger for nodemailer, which reads two kinds of lines. `send` says that a mail is being sent. `pool` says that nothing of it was sent,
 * and that it waits again.
 */
function loggerOf(begun: Set<string>) {
  const ignore = (): void => undefined;
  const info = (entry: unknown): void => {
    const { tnx, messageId }: { readonly tnx?: unknown; readonly messageId?: unknown } = Object(entry);
    if (typeof messageId !== "string") return;
    if (tnx === "send") begun.add(messageId);
    else if (tnx === "pool") begun.delete(messageId);
  };
  return { trace: ignore, debug: ignore, info, warn: ignore, error: ignore, fatal: ignore };
}

/** Hands a mail over: `{message_id, accepted, rejected}`. Throws `Failure`; ends at once when the action is cancelled. */
export async function deliver(act: Act, server: Server, mail: SendMailOptions): Promise<JsonObject> {
  const { pool, begun, offersUtf8: offers } = mailers(act.run.host).get(await import("nodemailer"), server);
  const id = String(mail.messageId);
  try {
    if (needsUtf8(mail) && offers !== undefined && !(await offers(act.signal))) throw withoutUtf8();
    const { messageId, accepted, rejected } = await pool.sendMail({ ...mail, signal: act.signal });
    return { message_id: messageId, accepted: accepted.map(addressOf), rejected: rejected.map(addressOf) };
  } catch (thrown) {
    throw thrown instanceof Failure ? thrown : failed(thrown, act, server, begun.has(id));
  } finally {
    begun.delete(id);
  }
}

/** A mail as MIME, as a server gets it, but without its hidden copies. */
export async function mimeOf({ bcc: _, ...mail }: SendMailOptions): Promise<Buffer> {
  const { createTransport } = await import("nodemailer");
  const { message } = await createTransport({ streamTransport: true, buffer: true, newline: "windows" }).sendMail(mail);
  if (!Buffer.isBuffer(message)) throw new Error("the mailer gives a stream in the place of bytes");
  return message;
}

const mailers = (host: Host): MailServers => host.resource<MailServers>("email", () => new Mailers());

const addressOf = (entry: string | { readonly address: string }): string => (typeof entry === "string" ? entry : entry.address);

/** The properties of an error of nodemailer. */
interface MailerError {
  readonly message: string;
  readonly code?: unknown;
  readonly command?: unknown;
  readonly responseCode?: unknown;
  readonly response?: unknown;
}

/**
 * The failure of a mail. Only a mail that was certainly not taken is tried again (spec/surfaces 15): when the server could not be reached,
 * or refuses for now (4xx, RFC 5321 4.2.1). A connection that ends after the begin of the envelope may have handed the mail over.
 */
function failed(thrown: unknown, act: Act, server: Server, hasBegun: boolean): Failure {
  if (act.cancellation.aborted) return new Failure("transport", "email: cancelled", { upstream: 502, cause: thrown });
  if (!(thrown instanceof Error)) throw thrown;
  const { message, code, command, responseCode, response }: MailerError = thrown;
  if (code === "EAUTH") return failure("transport", "the server refused the login", 502, isPassing(responseCode), thrown);
  if (code === "ETIMEDOUT") return failure("timeout", "the server does not answer", 504, !hasBegun, thrown);
  const reason = shown(typeof response === "string" ? response : readableReason(message), server);
  // A mail that nodemailer has given back to its queue too often has no command.
  const isLost = command === "CONN" || (code === "ECONNECTION" && !hasBegun);
  const isConnection = code === "EDNS" || code === "ETLS" || (isLost && typeof responseCode !== "number");
  if (!isConnection) return failure("transport", reason, 502, isPassing(responseCode), thrown);
  return failure("transport", `${hasBegun ? "connection lost" : "connect failed"}: ${reason}`, 502, !hasBegun, thrown);
}

const withoutUtf8 = (): Failure =>
  failure(
    "transport",
    "the server does not offer SMTPUTF8, which a letter beyond ASCII before the '@' of an address needs",
    502,
    false,
    undefined,
  );

const isPassing = (status: unknown): boolean => typeof status === "number" && status >= 400 && status < 500;

function failure(kind: "transport" | "timeout", reason: string, upstream: number, unsent: boolean, cause: unknown): Failure {
  return new Failure(kind, `email: ${reason}`, { upstream, ...(unsent ? { unsent } : { final: true }), cause });
}

/** One line of what a server says, which may repeat what it was sent. */
function shown(text: string, { login }: Server): string {
  const redactor = new Redactor();
  if (login !== undefined) redactor.add("pass", login.pass);
  return redactor
    .text(text)
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim()
    .slice(0, 200);
}
