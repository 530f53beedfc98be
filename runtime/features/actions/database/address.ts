import { bareHost } from "../../../outgoing/secure-way.ts";
import { decoded, type Settings, sound, unset } from "./settings.ts";

/** The place of a server, and the user that asks; `params` are the query parameters of the address. */
export interface Address {
  readonly host: string;
  readonly port: number | null;
  readonly user: string | null;
  readonly pass: string | null;
  readonly dbname: string | null;
  readonly params: ReadonlyMap<string, string>;
}

/** The connection as its parts: those of a URL of the driver, or as they were given. Names of params are in small letters, with `-`. */
export function addressOf(settings: Settings, starts: readonly string[]): Address {
  const { conn_string, user, pass, host, port, dbname, params } = settings;
  if (conn_string !== null) return ofUrl(sound(conn_string, starts));
  if (host === null && dbname === null) return unset();
  return { host: bareHost(host ?? "localhost"), port, user, pass, dbname, params: mapOf(Object.entries(params)) };
}

function ofUrl(text: string): Address {
  if (!URL.canParse(text)) throw new Error("conn_string is no address");
  const url = new URL(text);
  const part = (encoded: string): string | null => (encoded === "" ? null : decoded(encoded));
  return {
    host: decoded(bareHost(url.hostname)) || "localhost",
    port: url.port === "" ? null : Number(url.port),
    user: part(url.username),
    pass: part(url.password),
    dbname: part(url.pathname.slice(1)),
    params: mapOf([...url.searchParams]),
  };
}

const mapOf = (entries: readonly (readonly [string, string])[]): ReadonlyMap<string, string> =>
  new Map(entries.map(([name, value]) => [name.toLowerCase().replaceAll("_", "-"), value]));
