import { isIP } from "node:net";
import type { SendMailOptions } from "nodemailer";
import { egressOf } from "../../../outgoing/egress.ts";
import type { Host, Resource } from "../../../process/host.ts";
import type { Act } from "../../../run/run.ts";
import { Failure } from "../../../value/failure.ts";
import { header } from "../../../value/holes.ts";
import type { JsonObject } from "../../../value/json.ts";
import { Redactor } from "../../../value/redact.ts";

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
type Pool = ReturnType<typeof open>;

/** Milliseconds until a server greets, and of silence after that; the `timeout` of the action bounds the whole. */
const connectTimeout = 30_000;
const silence = 60_000;

/** Connections to one server. */
export const connectionsPerServer = 5;

/** Servers whose connections stay open: markers could ask for ever new ones. */
const mostServers = 32;

/** Throws `Failure`: a login never goes out in plain text, but to this machine (spec/surfaces 15). */
export function serverOf({ server, port, user, pass, tls }: SmtpArgs): Server {
  const name = server.trim();
  if (name === "" || /[\s/@\p{Cc}]/u.test(name)) throw new Failure("evaluation", "field server: not a host");
  const checked = port ?? 587;
  if (checked < 1 || checked > 65_535) throw new Failure("evaluation", `field port: expected 1 to 65535, got ${checked}`);
  const login =
    user === undefined || user === null ? undefined : { user: header(user, "user") ?? "", pass: header(pass ?? "", "pass") ?? "" };
  const encrypted = checked === 465 || tls !== false;
  if (login !== undefined && !encrypted && !isLoopback(name)) throw new Failure("evaluation", "email: a login needs tls");
  return { host: name, port: checked, tls: encrypted, login };
}

/** The server at an address that data may name: the connection goes to that address and to no other. */
export async function checked(server: Server, act: Act): Promise<Server> {
  try {
    const [address = server.host] = await egressOf(act.run.host).openOf(server.host);
    return { ...server, host: address, name: server.host };
  } catch (error) {
    if (error instanceof Failure || !(error instanceof Error)) throw error;
    throw failure("transport", `connect failed: ${error.message}`, 502, true, error);
  }
}

const isLoopback = (host: string): boolean => /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/i.test(host);

/** The ways to mail servers that a host has: the pools of a process, or what a test puts in their place. */
export interface MailServers extends Resource {
  readonly get: (nodemailer: Nodemailer, server: Server) => Pick<Pool, "sendMail">;
}

/** The pools of a process, by server and login. nodemailer is loaded by the first mail. */
class Mailers implements MailServers {
  readonly #pools = new Map<string, Pool>();

  get(nodemailer: Nodemailer, server: Server): Pool {
    const key = JSON.stringify(server);
    const pool = this.#pools.get(key) ?? open(nodemailer, server);
    this.#pools.delete(key);
    this.#pools.set(key, pool);
    const [oldest] = this.#pools;
    // A pool that is closed delivers the mails it has begun; later mails open it again.
    if (oldest !== undefined && this.#pools.size > mostServers) {
      this.#pools.delete(oldest[0]);
      oldest[1].close();
    }
    return pool;
  }

  close(): void {
    for (const pool of this.#pools.values()) pool.close();
    this.#pools.clear();
  }
}

function open({ createTransport }: Nodemailer, { host, port, tls, login, name }: Server) {
  const secure = port === 465;
  const servername = name === undefined || isIP(name) !== 0 ? {} : { servername: name };
  return createTransport({
    ...{ pool: true as const, host, port, secure, maxConnections: connectionsPerServer },
    // A server that offers no TLS is refused, never spoken to in plain text.
    ...(tls ? { requireTLS: !secure, tls: { minVersion: "TLSv1.2" as const, ...servername } } : { ignoreTLS: true }),
    ...(login === undefined ? {} : { auth: { ...login } }),
    ...{ connectionTimeout: connectTimeout, greetingTimeout: connectTimeout, dnsTimeout: connectTimeout, socketTimeout: silence },
  });
}

/** Hands a mail over: `{message_id, accepted, rejected}`. Throws `Failure`; ends at once when the action is cancelled. */
export async function deliver(act: Act, server: Server, mail: SendMailOptions): Promise<JsonObject> {
  const pool = mailers(act.run.host).get(await import("nodemailer"), server);
  try {
    const { messageId, accepted, rejected } = await pool.sendMail({ ...mail, signal: act.signal });
    return { message_id: messageId, accepted: accepted.map(addressOf), rejected: rejected.map(addressOf) };
  } catch (thrown) {
    throw failed(thrown, act, server);
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
 * Classes of retry (spec/language 3.6): a server that could not be reached, and one that refuses for now (4xx, RFC 5321 4.2.1), have taken
 * nothing and are asked again; what a server refuses for good (5xx) is not.
 */
function failed(thrown: unknown, act: Act, server: Server): Failure {
  if (act.cancellation.aborted) return new Failure("transport", "email: cancelled", { upstream: 502, cause: thrown });
  if (!(thrown instanceof Error)) throw thrown;
  const { message, code, command, responseCode, response }: MailerError = thrown;
  if (code === "EAUTH") return failure("transport", "the server refused the login", 502, isPassing(responseCode), thrown);
  if (code === "ETIMEDOUT") return failure("timeout", "the server does not answer", 504, false, thrown);
  const text = typeof response === "string" ? response : message;
  const isConnection = code === "EDNS" || code === "ETLS" || (command === "CONN" && typeof responseCode !== "number");
  const reason = shown(text, server);
  return failure("transport", isConnection ? `connect failed: ${reason}` : reason, 502, isConnection || isPassing(responseCode), thrown);
}

const isPassing = (status: unknown): boolean => typeof status === "number" && status >= 400 && status < 500;

function failure(kind: "transport" | "timeout", reason: string, upstream: number, unsent: boolean, cause: unknown): Failure {
  return new Failure(kind, `email: ${reason}`, { upstream, ...(unsent ? { unsent } : {}), cause });
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
