import type { ClientConfig } from "pg";
import { readRegularSync } from "../../../files/regular-file.ts";
import { bareHost } from "../../../outgoing/secure-way.ts";
import { type Settings, sound, unset } from "./settings.ts";

/** How an address of PostgreSQL begins; pg also takes the folder of a socket. */
const starts = ["postgres://", "postgresql://", "socket:", "/"];

type Tls = NonNullable<ClientConfig["ssl"]>;
type Params = ReadonlyMap<string, string>;

/**
 * Parameters about TLS that have a meaning here. All others are refused, since without them the connection would be less safe than meant.
 */
const parameters: ReadonlySet<string> = new Set(["ssl", "sslmode", "sslrootcert", "sslcert", "sslkey", "sslnegotiation"]);

const modes: ReadonlySet<string> = new Set(["disable", "allow", "prefer", "require", "verify-ca", "verify-full", "no-verify"]);

/** Values of `ssl`, as pg has them. */
const sslWords: Readonly<Record<string, Tls>> = {
  true: true,
  "1": true,
  false: false,
  "0": false,
  "no-verify": { rejectUnauthorized: false },
};

/**
 * The connection in the options of pg: an address without its parameters about TLS, or the parts of an address, which nothing splits or
 * decodes again. Files with certificates are read each time, so that a new one is used.
 */
export function postgresOptions(settings: Settings): ClientConfig {
  const { conn_string, user, pass, host, port, dbname, params } = settings;
  if (conn_string !== null) return ofAddress(sound(conn_string, starts));
  if (host === null && dbname === null) return unset();
  const rest = Object.entries(params).filter(([name]) => !isAboutTls(name));
  return {
    host: bareHost(host ?? "localhost"),
    ...(user === null ? {} : { user }),
    ...(pass === null ? {} : { password: pass }),
    ...(port === null ? {} : { port }),
    ...(dbname === null ? {} : { database: dbname }),
    ...Object.fromEntries(rest),
    ...tls(new Map(Object.entries(params))),
  };
}

function ofAddress(address: string): ClientConfig {
  const [, before = "", query = "", after = ""] = /^([^?#]*)(?:\?([^#]*))?(.*)$/s.exec(address) ?? [];
  const rest = query.split("&").filter((pair) => ![...new URLSearchParams(pair).keys()].some(isAboutTls));
  return {
    connectionString: `${before}${rest.join("") === "" ? "" : `?${rest.join("&")}`}${after}`,
    ...tls(new Map(new URLSearchParams(query))),
  };
}

const isAboutTls = (name: string): boolean => /ssl|tls/i.test(name);

/**
 * The options of TLS; empty when no parameter is about TLS. When parameters contradict each other, `sslmode` counts, then a certificate,
 * then `ssl`.
 */
function tls(params: Params): Pick<ClientConfig, "ssl" | "sslnegotiation"> {
  for (const name of params.keys()) {
    if (isAboutTls(name) && !parameters.has(name)) throw new Error(`unknown parameter '${name}' of the connection`);
  }
  const ssl = ofMode(params) ?? ofWord(params);
  const negotiation = params.get("sslnegotiation");
  if (negotiation === undefined) return ssl === undefined ? {} : { ssl };
  if (negotiation !== "postgres" && negotiation !== "direct") throw new Error(`sslnegotiation is postgres or direct, not '${negotiation}'`);
  if (negotiation === "direct" && ssl === false) throw new Error("sslnegotiation=direct needs TLS");
  return { ssl: ssl ?? negotiation === "direct", sslnegotiation: negotiation };
}

function ofWord(params: Params): Tls | undefined {
  const word = params.get("ssl");
  if (word === undefined) return undefined;
  const value = Object.hasOwn(sslWords, word) ? sslWords[word] : undefined;
  if (value === undefined) throw new Error(`ssl is true, false or no-verify, not '${word}'; sslmode has other words`);
  return value;
}

/** The meaning of `sslmode` in pg 8, which checks more than libpq does unless `uselibpqcompat=true` is beside it. */
function ofMode(params: Params): Tls | undefined {
  ofWord(params);
  const mode = params.get("sslmode");
  if (mode !== undefined && !modes.has(mode)) throw new Error(`sslmode is ${[...modes].join(", ")}, not '${mode}'`);
  const file = (name: string): string | undefined => {
    const path = params.get(name);
    return path === undefined ? undefined : readRegularSync(path, 1024 * 1024).toString("utf8");
  };
  if (mode === "disable") return false;
  const [ca, cert, key] = [file("sslrootcert"), file("sslcert"), file("sslkey")];
  if (mode === undefined && ca === undefined && cert === undefined && key === undefined) return undefined;
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...checks(mode, ca, params.get("uselibpqcompat") === "true"),
  };
}

const anyHost = { checkServerIdentity: () => undefined };
const anyCertificate = { rejectUnauthorized: false };

function checks(mode: string | undefined, ca: string | undefined, asLibpq: boolean): Exclude<Tls, boolean> {
  if (mode === "no-verify") return anyCertificate;
  if (!asLibpq) return {};
  if (mode === "verify-ca" && ca === undefined) throw new Error("sslmode=verify-ca needs sslrootcert");
  if (mode === "verify-ca" || (mode === "require" && ca !== undefined)) return anyHost;
  return mode === "prefer" || mode === "require" ? anyCertificate : {};
}
