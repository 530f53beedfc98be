import { type Address, parseAddress } from "../../../outgoing/address.ts";
import { Failure } from "../../../value/failure.ts";
import type { Json } from "../../../value/json.ts";
import { text } from "../../../value/values.ts";
import { basic } from "./authentication.ts";

/** An address without its user and password, which travel as a header: they must reach no error text. */
export interface Target {
  readonly url: Address;
  /** Value of `authorization`. */
  readonly credentials: string | undefined;
}

/** Where an evaluated `url` leads: http or https, else the action fails (spec/language 5.1.2). */
export function target(value: Json, base?: Address): Target {
  const address = text(value);
  const url = parseAddress(address, base?.href);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:"))
    throw new Failure("evaluation", `invalid url '${withoutSecrets(address)}': ${problemOf(address)}`);
  // Only an address that needed the parser of URLs can have credentials.
  const credentials = url instanceof URL ? credentialsOf(url) : undefined;
  // The assignments are slow, since each of them writes the whole address anew.
  if (credentials !== undefined && url instanceof URL) {
    url.username = "";
    url.password = "";
  }
  return { url, credentials };
}

const problemOf = (address: string): string => {
  if (address.trim() === "") return "it is empty";
  return /^\s*https?:/i.test(address) ? "its host or its port cannot be one" : "it does not begin with http:// or https://";
};

/** Shortens a text that is no URL for an error: it shows neither a user with a password nor a query, and has a bounded length. */
function withoutSecrets(full: string): string {
  const [address = ""] = full.split(/[?#]/);
  // An @ behind a `?` or `#` may belong to a password with this sign: then only the scheme is shown.
  const isSure = full.lastIndexOf("@") < address.length;
  const outline = `${address}${isSure ? "" : "@"}`.replace(/^([a-z][a-z\d+.-]*:\/\/)?.*@/is, "$1***@");
  const text = outline.slice(0, isSure ? 200 : outline.length - 1);
  return JSON.stringify(`${text}${address.length < full.length || address.length > 200 ? "…" : ""}`).slice(1, -1);
}

/** The credentials in a URL, as the value of a header. */
export function credentialsOf({ username, password }: URL): string | undefined {
  if (username === "" && password === "") return undefined;
  return basic(Buffer.from(decoded(username)), Buffer.from(decoded(password)));
}

/** The URL parser has escaped what needed it; a lone percent sign is text. */
const decoded = (part: string): string => decodeURIComponent(part.replace(/%(?![0-9A-Fa-f]{2})/g, "%25"));
