import { createHash } from "node:crypto";
import { hmacOf } from "./hmac.ts";

/** The credentials whose rights a request carries. */
export interface AwsCredentials {
  readonly access_key_id: string;
  readonly secret_access_key: string;
  readonly session_token?: string | undefined;
}

/** A request as it is signed. */
export interface CanonicalRequest {
  readonly method: string;
  /** Encoded as it is sent. */
  readonly path: string;
  /** Names and values that are not yet encoded. */
  readonly query: Readonly<Record<string, string>>;
  /** Names in lower case, `host` among them; all of them are signed. */
  readonly headers: Readonly<Record<string, string>>;
  /** The hash of the body, or `UNSIGNED-PAYLOAD`. */
  readonly payload: string;
}

/** A signature, and the parts of the request that it is sent with. */
export interface Signed {
  readonly query: string;
  /** Names of the headers that are signed. */
  readonly headers: string;
  readonly signature: string;
}

/** Makes the signatures of one moment, for one service in one region. */
export interface Signer {
  readonly time: string;
  /** The owner of the key, and the scope of the signature. */
  readonly credential: string;
  readonly sign: (request: CanonicalRequest) => Signed;
}

export const algorithm = "AWS4-HMAC-SHA256";

/** AWS Signature Version 4, as S3 and the JSON services of AWS check it. `now`: Unix milliseconds. */
export function signer(service: string, region: string, credentials: AwsCredentials, now: number): Signer {
  const time = new Date(now).toISOString().replace(/[:-]|\.\d{3}/g, "");
  const scope = [time.slice(0, 8), region, service, "aws4_request"];
  return {
    time,
    credential: [credentials.access_key_id, ...scope].join("/"),
    sign: ({ method, path, query: params, headers, payload }) => {
      const query = sorted(params)
        .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
        .join("&");
      const lines = sorted(headers).map(([name, value]) => `${name}:${value.trim().replace(/ +/g, " ")}\n`);
      const names = sorted(headers)
        .map(([name]) => name)
        .join(";");
      const canonical = [method, path, query, lines.join(""), names, payload].join("\n");
      const toSign = [algorithm, time, scope.join("/"), sha256(canonical)].join("\n");
      const key = scope.reduce<string | Uint8Array>(
        (before, part) => hmacOf("sha256", before, part),
        `AWS4${credentials.secret_access_key}`,
      );
      return { query, headers: names, signature: hmacOf("sha256", key, toSign).toString("hex") };
    },
  };
}

const sorted = (members: Readonly<Record<string, string>>): (readonly [string, string])[] =>
  Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1));

const sha256 = (content: string | Buffer): string => createHash("sha256").update(content).digest("hex");

/** RFC 3986: everything but unreserved characters. */
export const encoded = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

/** A request to a service of AWS, before it is signed. */
export interface AwsRequest {
  readonly method: "GET" | "POST" | "PUT" | "DELETE" | "HEAD";
  readonly host: string;
  readonly service: string;
  readonly region: string;
  /**
   * Encoded as it is sent. S3 signs it so; other services encode it once more, which changes nothing in a path of unreserved characters
   * and slashes.
   */
  readonly path: string;
  /** Names and values that are not yet encoded. */
  readonly query: Readonly<Record<string, string>>;
  /** Names in lower case; all of them are signed. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

/** The parts of a request that its signature adds. */
export interface SignedRequest {
  /** All headers but `host`, which the client writes. */
  readonly headers: Readonly<Record<string, string>>;
  /** Encoded, in the order of the signature, without its question mark. */
  readonly query: string;
}

/** Signs a request with its body; S3 wants the hash of the body in a header, too. `now`: Unix milliseconds. */
export function signedRequest(request: AwsRequest, credentials: AwsCredentials, now: number): SignedRequest {
  const { method, host, service, region, path, query: params, body } = request;
  const { time, credential, sign } = signer(service, region, credentials, now);
  const { session_token } = credentials;
  const payload = sha256(body);
  const signed = {
    ...request.headers,
    "x-amz-date": time,
    ...(service === "s3" ? { "x-amz-content-sha256": payload } : {}),
    ...(session_token === undefined ? {} : { "x-amz-security-token": session_token }),
  };
  const { query, headers, signature } = sign({ method, path, query: params, headers: { ...signed, host }, payload });
  const authorization = `${algorithm} Credential=${credential}, SignedHeaders=${headers}, Signature=${signature}`;
  return { headers: { ...signed, authorization }, query };
}
