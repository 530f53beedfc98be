import { createHash } from "node:crypto";
import { encoded } from "./aws-signature.ts";

/** Signs a text with the RSA key of an account, by PKCS #1 v1.5 with SHA-256. */
export type Sign = (text: string) => Buffer;

/** A link to one object of Cloud Storage, before it is signed. */
export interface SignedLink {
  readonly method: "GET" | "PUT";
  /** Scheme, host and path before the bucket, without a slash at its end. */
  readonly endpoint: string;
  readonly bucket: string;
  readonly key: string;
  /** Seconds. */
  readonly expires: number;
  /** Headers that must be sent with the request: names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly client_email: string;
}

const algorithm = "GOOG4-RSA-SHA256";

/** The text that is signed for a link, and the link but for its signature: the signing process V4 of Cloud Storage. */
export function unsignedLink(link: SignedLink, now: number): { readonly url: string; readonly toSign: string } {
  const { method, endpoint, bucket, key, expires } = link;
  const { host, pathname } = new URL(endpoint);
  const time = new Date(now).toISOString().replace(/[:-]|\.\d{3}/g, "");
  const scope = `${time.slice(0, 8)}/auto/storage/goog4_request`;
  const headers = Object.entries({ ...link.headers, host }).sort(([a], [b]) => (a < b ? -1 : 1));
  const names = headers.map(([name]) => name).join(";");
  const path = `${pathname.replace(/\/$/, "")}/${bucket}/${key.split("/").map(encoded).join("/")}`;
  const query = Object.entries({
    "X-Goog-Algorithm": algorithm,
    "X-Goog-Credential": `${link.client_email}/${scope}`,
    "X-Goog-Date": time,
    "X-Goog-Expires": String(expires),
    "X-Goog-SignedHeaders": names,
  })
    .map(([name, value]) => `${name}=${encoded(value)}`)
    .join("&");
  const lines = headers.map(([name, value]) => `${name}:${value.trim().replace(/\s+/g, " ")}\n`).join("");
  const canonical = [method, path, query, lines, names, "UNSIGNED-PAYLOAD"].join("\n");
  const toSign = [algorithm, time, scope, createHash("sha256").update(canonical).digest("hex")].join("\n");
  return { url: `${new URL(endpoint).origin}${path}?${query}`, toSign };
}

/** A link that works until it expires. `now`: Unix milliseconds. */
export function signedLink(link: SignedLink, sign: Sign, now: number): string {
  const { url, toSign } = unsignedLink(link, now);
  return `${url}&X-Goog-Signature=${sign(toSign).toString("hex")}`;
}

/** A token that an account signs itself (RFC 7515): RS256. */
export function signedToken(claims: Readonly<Record<string, string | number>>, keyId: string | undefined, sign: Sign): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const text = `${part({ alg: "RS256", typ: "JWT", ...(keyId === undefined ? {} : { kid: keyId }) })}.${part(claims)}`;
  return `${text}.${sign(text).toString("base64url")}`;
}
