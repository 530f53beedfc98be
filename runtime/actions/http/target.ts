import { Failure } from "../../failure.ts";
import type { Json } from "../../json.ts";
import { text } from "../../values.ts";

/** An address without its user and password, which travel as a header: they must reach no error text. */
export interface Target {
  readonly url: URL;
  /** Value of `authorization`. */
  readonly credentials: string | undefined;
}

/** Where an evaluated `url` leads: http or https, else the action fails (language.md 5.1.2). */
export function target(value: Json, base?: URL): Target {
  const url = URL.parse(text(value), base?.href);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) throw new Failure("evaluation", "invalid url");
  if (url.username === "" && url.password === "") return { url, credentials: undefined };
  const credentials = basic(url);
  url.username = "";
  url.password = "";
  return { url, credentials };
}

function basic(url: URL): string {
  const [user, password] = [url.username, url.password].map((part) => Buffer.from(decoded(part)));
  return `Basic ${Buffer.concat([user ?? Buffer.alloc(0), Buffer.from(":"), password ?? Buffer.alloc(0)]).toString("base64")}`;
}

/** The URL parser has escaped what needed it; a lone percent sign is text. */
const decoded = (part: string): string => decodeURIComponent(part.replace(/%(?![0-9A-Fa-f]{2})/g, "%25"));
