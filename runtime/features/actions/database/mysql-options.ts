import type { ConnectionOptions, SslOptions } from "mysql2";
import { readRegularSync } from "../../../files/regular-file.ts";
import { longestWait } from "../../../value/duration.ts";
import { type Address, addressOf } from "./address.ts";
import type { Settings } from "./settings.ts";

/** The options of mysql2 for a connection, and whether the connection may go without TLS when the server has none. */
export interface Dial {
  readonly options: ConnectionOptions;
  readonly plainIfMust: boolean;
}

/** The values of `ssl-mode` as in the clients of MySQL, and also the words of PostgreSQL for the same modes. */
const modes: Readonly<Record<string, "disabled" | "preferred" | "required" | "verify-ca" | "verify-identity">> = {
  disabled: "disabled",
  disable: "disabled",
  preferred: "preferred",
  prefer: "preferred",
  required: "required",
  require: "required",
  "verify-ca": "verify-ca",
  "verify-identity": "verify-identity",
  "verify-full": "verify-identity",
};

/**
 * Parameters of the address that have a meaning here. Of all others only those about TLS are refused, because the connection would be less
 * safe than meant without them.
 */
const parameters: ReadonlySet<string> = new Set(["ssl-mode", "sslmode", "ssl-ca", "ssl-cert", "ssl-key", "socket"]);

/** Reads the settings of the connection; files with certificates are read each time, so that a new one is used. */
export function dialOf(settings: Settings): Dial {
  const address = addressOf(settings, ["mysql://", "mariadb://"]);
  const { host, port, user, pass, dbname, params } = address;
  for (const name of params.keys()) {
    if (/ssl|tls/.test(name) && !parameters.has(name)) throw new Error(`unknown parameter '${name}' of the connection`);
  }
  const socket = params.get("socket") ?? (host.startsWith("/") ? host : undefined);
  const ssl = tlsOf(address);
  const options: ConnectionOptions = {
    ...(socket === undefined ? { host, port: port ?? 3306 } : { socketPath: socket }),
    ...(user === null ? {} : { user }),
    ...(pass === null ? {} : { password: pass }),
    ...(dbname === null ? {} : { database: dbname }),
    ...(ssl === undefined || socket !== undefined ? {} : { ssl: ssl.options }),
    connectTimeout: Math.min(settings.timeout, longestWait),
    ...fixed,
  };
  return { options, plainIfMust: ssl?.plainIfMust === true };
}

const fixed: ConnectionOptions = {
  charset: "UTF8MB4_UNICODE_CI",
  multipleStatements: true,
  // mysql-types.ts converts values: the conversion of mysql2 loses digits and depends on the zone of this machine.
  dateStrings: true,
  jsonStrings: true,
  supportBigNumbers: true,
  rowsAsArray: true,
  // Without this option mysql2 would read rows by code that it generates from the names of columns.
  disableEval: true,
  // A server may not ask for files of this machine.
  flags: ["-LOCAL_FILES"],
  maxPreparedStatements: 256,
  trace: false,
};

function tlsOf({ params }: Address): { readonly options: SslOptions; readonly plainIfMust: boolean } | undefined {
  const word = params.get("ssl-mode") ?? params.get("sslmode") ?? "preferred";
  const name = word.toLowerCase().replaceAll("_", "-");
  const mode = Object.hasOwn(modes, name) ? modes[name] : undefined;
  if (mode === undefined) throw new Error(`ssl-mode is DISABLED, PREFERRED, REQUIRED, VERIFY_CA or VERIFY_IDENTITY, not '${word}'`);
  if (mode === "disabled") return undefined;
  const file = (parameter: string): string | undefined => {
    const path = params.get(parameter);
    return path === undefined ? undefined : readRegularSync(path, 1024 * 1024).toString("utf8");
  };
  const [ca, cert, key] = [file("ssl-ca"), file("ssl-cert"), file("ssl-key")];
  return {
    options: {
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
      rejectUnauthorized: mode === "verify-ca" || mode === "verify-identity",
      verifyIdentity: mode === "verify-identity",
    },
    plainIfMust: mode === "preferred",
  };
}

/**
 * Modes that would change where literals end: without them a backslash escapes, and `"..."` is a string. The last ones stand for several.
 */
const misleading = ["NO_BACKSLASH_ESCAPES", "ANSI_QUOTES", "ANSI", "DB2", "MAXDB", "MSSQL", "ORACLE", "POSTGRESQL"];

/**
 * The settings of a session by which literals are read and columns written, whatever the server's configuration says: text is UTF-8, times
 * are UTC.
 */
export const session = `SET NAMES utf8mb4 COLLATE utf8mb4_unicode_ci, time_zone = '+00:00', sql_mode = TRIM(BOTH ',' FROM ${misleading.reduce(
  (modes, name) => `REPLACE(${modes}, ',${name},', ',')`,
  "CONCAT(',', @@sql_mode, ',')",
)})`;
