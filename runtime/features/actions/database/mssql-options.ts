import type { ConnectionConfiguration } from "tedious";
import { longestWait } from "../../../value/duration.ts";
import { addressOf } from "./address.ts";
import type { Settings } from "./settings.ts";

/** The settings of a connection string, whichever of its two forms it has. Names are in small letters, without blanks and lines. */
interface Target {
  readonly host: string;
  readonly port: number | null;
  readonly instance: string | undefined;
  readonly user: string | null;
  readonly pass: string | null;
  readonly dbname: string | null;
  readonly says: (...names: readonly string[]) => string | undefined;
}

/** The connection as tedious wants it: encrypted, with a certificate that is checked, unless the settings say otherwise. */
export function mssqlOptions(settings: Settings): ConnectionConfiguration {
  const { conn_string, timeout } = settings;
  const target = conn_string !== null && !/^[a-z]+:\/\//i.test(conn_string) ? ofPairs(conn_string) : ofAddress(settings);
  const { host, port, instance, user, pass, dbname, says } = target;
  return {
    server: host,
    authentication: { type: "default", options: { userName: user ?? "", password: pass ?? "" } },
    options: {
      ...(instance === undefined ? { port: port ?? 1433 } : { instanceName: instance }),
      ...(dbname === null ? {} : { database: dbname }),
      ...encryption(says("encrypt")),
      trustServerCertificate: flag(says("trustservercertificate") ?? "false", "trustServerCertificate"),
      appName: says("applicationname", "app") ?? "pipewright",
      connectTimeout: Math.min(timeout, longestWait),
      // A query ends by our own time limit; this one only bounds the time that an attention may take.
      requestTimeout: 0,
      cancelTimeout: 5000,
      maxRetriesOnTransientErrors: 0,
      // Literals and names are read as the compiler reads them, times are UTC, and an error ends the transaction that it happens in.
      ...{ enableQuotedIdentifier: true, useUTC: true, abortTransactionOnError: true, lowerCaseGuids: true },
    },
  };
}

function ofAddress(settings: Settings): Target {
  const { host, params, ...rest } = addressOf(settings, ["mssql://", "sqlserver://"]);
  const plain = new Map([...params].map(([name, value]) => [name.replaceAll("-", ""), value]));
  const says = (...names: readonly string[]): string | undefined => names.map((name) => plain.get(name)).find((one) => one !== undefined);
  return { host, instance: says("instancename", "instance"), ...rest, says };
}

/** `Server=tcp:host,1433;Database=shop;User Id=app;Password=…;Encrypt=true`, as the connection strings of .NET are written. */
function ofPairs(text: string): Target {
  const pairs = new Map(
    [...text.matchAll(/([^=;]+)=\s*("(?:[^"]|"")*"|'(?:[^']|'')*'|[^;]*)\s*(?:;|$)/g)].map(([, name = "", value = ""]) => [
      name.toLowerCase().replaceAll(/[\s_-]/g, ""),
      value.replace(/^(["'])(.*)\1$/s, (_, quote: string, inner: string) => inner.replaceAll(quote + quote, quote)).trim(),
    ]),
  );
  const says = (...names: readonly string[]): string | undefined => names.map((name) => pairs.get(name)).find((one) => one !== undefined);
  const server = says("server", "datasource", "address", "addr", "networkaddress");
  if (server === undefined) throw new Error("conn_string starts with mssql://, or names a Server");
  const [, host = "", instance, port] = /^(?:tcp:)?([^\\,]+)(?:\\([^,]+))?(?:,\s*(\d+))?$/i.exec(server) ?? [];
  return {
    host: host === "." || host === "(local)" ? "localhost" : host,
    port: port === undefined ? null : Number(port),
    instance: port === undefined ? instance : undefined,
    user: says("userid", "uid", "user") ?? null,
    pass: says("password", "pwd") ?? null,
    dbname: says("database", "initialcatalog") ?? null,
    says,
  };
}

function encryption(word = "true"): { readonly encrypt: boolean | "strict" } {
  if (/^strict$/i.test(word)) return { encrypt: "strict" };
  if (/^mandatory$/i.test(word)) return { encrypt: true };
  return { encrypt: /^optional$/i.test(word) ? false : flag(word, "encrypt") };
}

function flag(word: string, name: string): boolean {
  if (/^(?:true|yes|1)$/i.test(word)) return true;
  if (/^(?:false|no|0)$/i.test(word)) return false;
  throw new Error(`${name} is true or false, not '${word}'`);
}
