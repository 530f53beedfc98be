import { isIP } from "node:net";
import { type AwsCredentials, algorithm, encoded, signer } from "./aws-signature.ts";

/** The right that a link gives, and the credentials it comes from. */
export interface Presigned extends Pick<AwsCredentials, "access_key_id" | "secret_access_key"> {
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
}

/**
 * A link to one object of an S3 service, signed in its query (AWS Signature Version 4). The bucket is part of the host, but of the path
 * where `path_style` says so, where the host is an IP address, and by default where it is `localhost` or a name without a dot. `now`: Unix
 * milliseconds.
 *
 * Signed on node:crypto and not by aws4fetch, the oracle of its test. That library waits for WebCrypto, so the whole chain would have to
 * wait. It also sends the key through a URL, where `..` leads into another bucket.
 */
export function presignedUrl(link: Presigned, now: number): string {
  const { method, endpoint, bucket, file_key, region, expires } = link;
  const { hostname } = endpoint;
  const isAddress = isIP(hostname.replace(/^\[|\]$/g, "")) !== 0;
  const inPath = isAddress || (link.path_style ?? !hostname.includes("."));
  const host = inPath ? endpoint.host : `${bucket}.${endpoint.host}`;
  const path = `${inPath ? `/${bucket}` : ""}/${file_key.split("/").map(encoded).join("/")}`;
  const { time, credential, sign } = signer("s3", region, link, now);
  const params = {
    "X-Amz-Algorithm": algorithm,
    "X-Amz-Credential": credential,
    "X-Amz-Date": time,
    "X-Amz-Expires": String(expires),
    "X-Amz-SignedHeaders": "host",
  };
  const { query, signature } = sign({ method, path, query: params, headers: { host }, payload: "UNSIGNED-PAYLOAD" });
  return `${endpoint.protocol}//${host}${path}?${query}&X-Amz-Signature=${signature}`;
}
