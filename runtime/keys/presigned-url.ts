import { createHash } from "node:crypto";
import { isIP } from "node:net";
import { hmacOf } from "./hmac.ts";

/** What a link allows, and whose rights it carries. */
export interface Presigned {
  readonly method: "GET" | "PUT";
  /** Scheme and host of the service. */
  readonly endpoint: URL;
  readonly bucket: string;
  readonly file_key: string;
  readonly region: string;
  readonly access_key_id: string;
  readonly secret_access_key: string;
  /** Seconds. */
  readonly expires: number;
  /** The bucket is part of the path, or of the host; by default as the host demands. */
  readonly path_style?: boolean | null;
}

/**
 * A link to one object of an S3 service, signed in its query (AWS Signature Version 4). The bucket is part of the host, but of the path where
 * `path_style` says so, where the host is an IP address, and by default where it is `localhost` or a name without a dot. `now`: Unix milliseconds.
 *
 * Written on node:crypto and not on aws4fetch, the oracle of its test: that one waits for WebCrypto, which would make the whole chain wait, and
 * sends the key through a URL, in which `..` leads into another bucket.
 */
export function presignedUrl(link: Presigned, now: number): string {
  const { method, endpoint, bucket, file_key, region, access_key_id, expires } = link;
  const { hostname } = endpoint;
  const isAddress = isIP(hostname.replace(/^\[|\]$/g, "")) !== 0;
  const inPath = isAddress || (link.path_style ?? !hostname.includes("."));
  const host = inPath ? endpoint.host : `${bucket}.${endpoint.host}`;
  const path = `${inPath ? `/${bucket}` : ""}/${file_key.split("/").map(encoded).join("/")}`;
  const time = new Date(now).toISOString().replace(/[:-]|\.\d{3}/g, "");
  const scope = [time.slice(0, 8), region, "s3", "aws4_request"];
  // In the order of the signature, which is that of their names.
  const query = Object.entries({
    "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
    "X-Amz-Credential": [access_key_id, ...scope].join("/"),
    "X-Amz-Date": time,
    "X-Amz-Expires": String(expires),
    "X-Amz-SignedHeaders": "host",
  })
    .map(([name, value]) => `${name}=${encoded(value)}`)
    .join("&");
  const request = [method, path, query, `host:${host}\n`, "host", "UNSIGNED-PAYLOAD"].join("\n");
  const toSign = ["AWS4-HMAC-SHA256", time, scope.join("/"), createHash("sha256").update(request).digest("hex")].join("\n");
  const key = scope.reduce<string | Uint8Array>((before, part) => hmacOf("sha256", before, part), `AWS4${link.secret_access_key}`);
  return `${endpoint.protocol}//${host}${path}?${query}&X-Amz-Signature=${hmacOf("sha256", key, toSign).toString("hex")}`;
}

/** RFC 3986: everything but unreserved characters. */
const encoded = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
