import { createHash, createPrivateKey, type KeyObject, sign } from "node:crypto";
import { parseJson } from "../../../formats/json-text.ts";
import type { Sign } from "../../../keys/google-signature.ts";
import { secretFile } from "../../../keys/secret-file.ts";
import { isSecureWay } from "../../../outgoing/secure-way.ts";
import { touches } from "../../../outgoing/touches.ts";
import type { Host, Resource } from "../../../process/host.ts";
import type { Act } from "../../../run/run.ts";
import { Failure } from "../../../value/failure.ts";
import { isObject, type JsonObject, own } from "../../../value/json.ts";
import { Recent } from "../../../value/recent.ts";
import { usualTokenUri } from "./schema.ts";

/** An entry of `global.google_credentials` after evaluation; null means unset. */
export type CredentialArgs = {
  readonly [Field in "file" | "json" | "type" | "client_email" | "private_key_id" | "private_key" | "token_uri" | "project_id"]?:
    | string
    | null;
};

/** A service account. */
export interface Account {
  /** Tells accounts apart; the key cannot be derived from it. */
  readonly id: string;
  readonly client_email: string;
  readonly private_key_id: string | undefined;
  readonly project_id: string | undefined;
  readonly token_uri: URL;
  readonly sign: Sign;
}

/** The accounts of a process, or what a test puts in their place. */
export interface Accounts extends Resource {
  readonly get: (act: Act, args: CredentialArgs) => Account | Promise<Account>;
}

/** Accounts that a process keeps. */
const mostAccounts = 64;

/** Milliseconds after which a key file is read again, as the file of a secret is. */
const ttl = 300_000;

/** Accounts by their settings. A key file may be replaced while the process runs. */
class ReadAccounts implements Accounts {
  readonly #kept = new Recent<{ readonly account: Account; readonly until: number }>(mostAccounts);

  get(act: Act, args: CredentialArgs): Account | Promise<Account> {
    const { host } = act.run;
    const file = args.file ?? null;
    // The touch is checked before kept accounts are used, which another interface may have read.
    if (file !== null) touches(act.run, { kind: "files", name: file });
    const id = digestOf(args);
    const entry = this.#kept.get(id);
    if (entry !== undefined && host.monotonic() < entry.until) return entry.account;
    const keep = (members: JsonObject, until: number): Account => {
      const account = accountOf({ ...members, ...writtenMembers(args) }, host);
      this.#kept.set(id, { account, until });
      return account;
    };
    if (file === null) return keep(args.json == null ? {} : membersOf(args.json, "json"), Number.POSITIVE_INFINITY);
    return textOf(file).then((text) => keep(membersOf(text, "file"), host.monotonic() + ttl));
  }

  close(): void {
    // Keys keep nothing open.
  }
}

/** The account of an action; `args` are the settings of its credential. Throws `Failure`, which never quotes these settings. */
export const account = (act: Act, args: CredentialArgs): Account | Promise<Account> =>
  act.run.host.resource<Accounts>("google accounts", () => new ReadAccounts()).get(act, args);

async function textOf(file: string): Promise<string> {
  try {
    return await secretFile(file);
  } catch (error) {
    throw error instanceof Failure ? bad(`credential: ${error.message}`) : error;
  }
}

function membersOf(text: string, field: string): JsonObject {
  const value = parseJson(text);
  if (value === undefined || !isObject(value)) throw bad(`credential: ${field} is not the JSON of a key file`);
  return value;
}

/** The members that the configuration writes itself. */
const writtenMembers = (args: CredentialArgs): JsonObject =>
  Object.fromEntries(
    Object.entries(args).filter(([field, value]) => field !== "file" && field !== "json" && value !== null && value !== undefined),
  );

function accountOf(members: JsonObject, host: Host): Account {
  const text = (field: string): string | undefined => {
    const value = own(members, field);
    return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
  };
  const type = text("type") ?? "service_account";
  if (type !== "service_account") throw bad("credential: its type is not service_account");
  const [client_email, pem] = [text("client_email"), text("private_key")];
  if (client_email === undefined) throw bad("credential: client_email is not set");
  if (pem === undefined) throw bad("credential: private_key is not set");
  host.redactor.add(`google key of ${client_email}`, pem);
  const key = keyOf(pem);
  return {
    id: digestOf([client_email, pem]),
    client_email,
    private_key_id: text("private_key_id"),
    project_id: text("project_id"),
    token_uri: tokenUri(text("token_uri") ?? usualTokenUri),
    sign: (message) => sign("sha256", Buffer.from(message), key),
  };
}

/** Environment variables and YAML often hold the line breaks of a key as two characters. */
function keyOf(pem: string): KeyObject {
  const key = read(pem.replaceAll("\\r", "").replaceAll("\\n", "\n"));
  if (key?.asymmetricKeyType !== "rsa" || (key.asymmetricKeyDetails?.modulusLength ?? 0) < 2048)
    throw bad("credential: private_key is no RSA key in PEM of at least 2048 bits");
  return key;
}

function read(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    // OpenSSL's own words say nothing that a user could act on.
    return undefined;
  }
}

/**
 * The address that gives tokens. Plain HTTP is allowed only to this machine, since a reader of the request can act as the account for an
 * hour.
 */
function tokenUri(text: string): URL {
  const url = URL.parse(text);
  if (url === null || url.username !== "" || url.password !== "" || !isSecureWay(url))
    throw bad("credential: token_uri is no address of https");
  return url;
}

export const digestOf = (value: unknown): string => createHash("sha256").update(JSON.stringify(value)).digest("base64url");

const bad = (reason: string): Failure => new Failure("evaluation", `google: ${reason}`);
