import { isIP } from "node:net";
import { type AwsCredentials, algorithm, encoded, signer } from "./aws-signature.ts";

/** The right that a link gives, and the credentials it comes from. */
export interface Presigned extends AwsCredentials {
  readonly method: "GET" | "PUT";
  /** Scheme and host of the service. */
  readonly endpoint: URL;
  readonly bucket: string;
  readonly file_key: string;
  readonly region: string;
  /** Seconds. */
  readonly expires: number;
  /** The bucket is part of the path, or of the host; by default as the host demands. */
  readonly path_style?: boolean | null;
  /** Headers that the user of the link has to send: names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Further fields of the query, such as those that change headers of the answer. */
  readonly query?: Readonly<Record<string, string>>;
}

/** True for a name that S3 allows for a bucket. The name becomes a part of a host or of a path. */
export const isBucketName = (name: string): boolean => /^[a-z0-9](?:[a-z0-9-]|\.(?!\.)){1,61}[a-z0-9]$/.test(name);

/** True for a key that clients would send as another key, because they resolve dots before they send a request. */
export const hasDots = (key: string): boolean => /(?:^|\/)\.{1,2}(?:\/|$)/.test(key);

/**
 * A link to one object of an S3 service, signed in its query (AWS Signature Version 4). The bucket is part of the host, but of the path
 * where `path_style` says so, where the host is an IP address, and by default where it is `localhost` or a name without a dot. `now`: Unix
 * milliseconds.
 *
 * Signed on node:crypto and not by aws4fetch, the oracle of its test. That library waits for WebCrypto, so the whole chain would have to
 * wait. It also sends the key through a URL, where `..` leads into another bucket.
 */
export function presignedUrl(link: Presigned, now: number): string {
  const { method, endpoint, region, expires, session_token, headers = {} } = link;
  const { host, path } = objectAddress(link);
  const { time, credential, sign } = signer("s3", region, link, now);
  const params = {
    ...link.query,
    "X-Amz-Algorithm": algorithm,
    "X-Amz-Credential": credential,
    "X-Amz-Date": time,
    "X-Amz-Expires": String(expires),
    "X-Amz-SignedHeaders": ["host", ...Object.keys(headers)].sort().join(";"),
    ...(session_token === undefined ? {} : { "X-Amz-Security-Token": session_token }),
  };
  const { query, signature } = sign({ method, path, query: params, headers: { ...headers, host }, payload: "UNSIGNED-PAYLOAD" });
  return `${endpoint.protocol}//${host}${path}?${query}&X-Amz-Signature=${signature}`;
}

/** The address of an object: its host, and its path as it is sent. Without a key it is the address of the bucket. */
export function objectAddress({
  endpoint,
  bucket,
  file_key,
  path_style,
}: Pick<Presigned, "endpoint" | "bucket" | "file_key" | "path_style">): { readonly host: string; readonly path: string } {
  const { hostname, host, pathname } = endpoint;
  const isAddress = isIP(hostname.replace(/^\[|\]$/g, "")) !== 0;
  const inPath = isAddress || (path_style ?? !hostname.includes("."));
  const base = `${pathname.replace(/\/$/, "")}${inPath ? `/${bucket}` : ""}`;
  return { host: inPath ? host : `${bucket}.${host}`, path: `${base}/${file_key.split("/").map(encoded).join("/")}` };
}
