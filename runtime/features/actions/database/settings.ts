import { Failure } from "../../../value/failure.ts";
import { isObject, type Json, type JsonObject, own } from "../../../value/json.ts";
import { integer, milliseconds, string, text } from "../../../value/values.ts";

/** An entry of `global.databases` after evaluation (spec/language 5.4.1); null means unset. Times in milliseconds. */
export interface Settings {
  readonly conn_string: string | null;
  readonly user: string | null;
  readonly pass: string | null;
  readonly host: string | null;
  readonly port: number | null;
  readonly dbname: string | null;
  /** Query parameters of the connection string, when it is given in parts. */
  readonly params: Readonly<Record<string, string>>;
  readonly max_open_conns: number;
  readonly max_idle_conns: number;
  readonly conn_max_lifetime: number | null;
  /** The time of one query, its wait for a connection included. */
  readonly timeout: number;
  /** All settings as they were given, for those that only one driver knows. */
  readonly given: JsonObject;
}

/** Reads what the config evaluates to; a wrong type fails like any field. */
export function readSettings(values: JsonObject): Settings {
  const field = (name: string): Json => own(values, name) ?? null;
  const params = field("params");
  return {
    conn_string: string(field("conn_string"))?.trim() || null,
    user: string(field("user")),
    pass: string(field("pass")),
    host: string(field("host")),
    port: integer(field("port"), "port"),
    dbname: string(field("dbname")),
    params: isObject(params) ? Object.fromEntries(Object.entries(params).map(([name, value]) => [name, text(value)])) : {},
    max_open_conns: integer(field("max_open_conns"), "max_open_conns") ?? 10,
    // choice: the default of Go's database/sql, whose names these settings have
    max_idle_conns: integer(field("max_idle_conns"), "max_idle_conns") ?? 2,
    conn_max_lifetime: milliseconds(field("conn_max_lifetime"), "conn_max_lifetime"),
    timeout: milliseconds(field("timeout"), "timeout") ?? 30_000,
    given: values,
  };
}

/** The connection string, given whole or in parts; `starts` are the beginnings of addresses of the driver. */
export function connectionString(settings: Settings, starts: readonly string[]): string {
  const { conn_string, user, pass, host, port, dbname, params } = settings;
  if (conn_string !== null) return sound(conn_string, starts);
  if (host === null && dbname === null) return unset();
  const login = user === null ? "" : `${encodeURIComponent(user)}${pass === null ? "" : `:${encodeURIComponent(pass)}`}@`;
  const query = new URLSearchParams(params).toString();
  const address = `${encodeURIComponent(host ?? "localhost")}${port === null ? "" : `:${port}`}`;
  return `${starts[0]}${login}${address}/${encodeURIComponent(dbname ?? "")}${query === "" ? "" : `?${query}`}`;
}

/** Gives the address back. Fails when it is none of the driver, or when a password that was not encoded would change its host. */
export function sound(address: string, starts: readonly string[]): string {
  const lower = address.toLowerCase();
  if (!starts.some((start) => lower.startsWith(start))) throw new Error(`conn_string starts with ${starts[0]}`);
  const rest = address.slice(address.indexOf("://") + 3);
  if (/^[^?#]*(?:\/[^?#]*@|\?[^=]*@)|#.*@/s.test(rest))
    throw new Error("conn_string has an '@' behind its host; in a password '@' is %40, '/' is %2F, '?' is %3F and '#' is %23");
  return address;
}

/** A connection that nothing describes, for instance because its managed variable is not set. */
export function unset(): never {
  throw new Failure("database", "database: conn_string is not set");
}

/**
 * A driver's message without what it may have quoted of the connection: addresses with a scheme, the connection string, the password, and
 * in strings of `key=value;` what follows one of the names of a password.
 */
export function masked(message: string, { conn_string, pass }: Settings): string {
  const password = /:\/\/[^/?#]*?:([^/?#]*)@/.exec(conn_string ?? "")?.[1] ?? "";
  const [, assigned = ""] = /(?:^|;)\s*(?:password|pwd)\s*=\s*("[^"]*"|'[^']*'|[^;]*)/i.exec(conn_string ?? "") ?? [];
  return [conn_string ?? "", pass ?? "", password, decoded(password), assigned, assigned.replace(/^(["'])(.*)\1$/, "$2")]
    .filter((secret) => secret.length > 2)
    .reduce((text, secret) => text.replaceAll(secret, "***"), message)
    .replace(/\b[a-z][a-z0-9+]*:\/\/(?![\s'",]|$)[^\s'"]*/gi, "***");
}

/** Percent-decoded; a stray `%` leaves the text as it is. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
