import { createHash } from "node:crypto";
import { hmacOf } from "./hmac.ts";

/** Whose rights a request carries. */
export interface AwsCredentials {
  readonly access_key_id: string;
  readonly secret_access_key: string;
  readonly session_token?: string | undefined;
}

/** A request to a service whose path is `/` and that has no query, as the JSON services of AWS take it. */
export interface AwsRequest {
  readonly host: string;
  readonly service: string;
  readonly region: string;
  /** Names in lower case; all of them are signed. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The headers of a POST with its signature (AWS Signature Version 4). `now`: Unix milliseconds. */
export function signedHeaders(request: AwsRequest, credentials: AwsCredentials, now: number): Readonly<Record<string, string>> {
  const { host, service, region, headers, body } = request;
  const { access_key_id, secret_access_key, session_token } = credentials;
  const time = new Date(now).toISOString().replace(/[:-]|\.\d{3}/g, "");
  const scope = [time.slice(0, 8), region, service, "aws4_request"];
  const signed = {
    ...headers,
    host,
    "x-amz-date": time,
    ...(session_token === undefined ? {} : { "x-amz-security-token": session_token }),
  };
  const names = Object.keys(signed).sort();
  const lines = Object.entries(signed)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}:${value.trim().replace(/ +/g, " ")}\n`);
  const canonical = ["POST", "/", "", lines.join(""), names.join(";"), sha256(body)].join("\n");
  const toSign = ["AWS4-HMAC-SHA256", time, scope.join("/"), sha256(canonical)].join("\n");
  const key = scope.reduce<string | Uint8Array>((before, part) => hmacOf("sha256", before, part), `AWS4${secret_access_key}`);
  const signature = hmacOf("sha256", key, toSign).toString("hex");
  const { host: _, ...sent } = signed;
  return {
    ...sent,
    authorization: `AWS4-HMAC-SHA256 Credential=${[access_key_id, ...scope].join("/")}, SignedHeaders=${names.join(";")}, Signature=${signature}`,
  };
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
