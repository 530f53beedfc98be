import type { IncomingHttpHeaders } from "node:http";
import { ApiKeys } from "../../keys/api-keys.ts";
import { decodeToken } from "../../keys/jwt.ts";
import { type JsonObject, own } from "../../value/json.ts";

/** The credentials with which a client opens a connection (spec/surfaces 3). The token is not verified. */
export interface Credential {
  /** True when the client has shown an API key of the organisation. */
  readonly hasKey: boolean;
  /** The token of an end user, without `Bearer`. */
  readonly token?: string;
  /** Unix milliseconds at which the token expires, if it says so. */
  readonly expires?: number;
}

export interface CredentialOptions {
  /** Keys of the organisation; without keys no key is valid. */
  readonly keys: readonly string[];
  /** True when the query may hold a key. */
  readonly queryKeys: boolean;
  /** The time in Unix milliseconds. */
  readonly now: () => number;
}

/** Parameters of a query that are secrets, which are hidden from runs. */
const secretParams: readonly string[] = ["api_key", "token"];

/** choice: the most characters of a token; tokens of providers are far shorter. */
const longestToken = 16_384;

/** Reads the credentials of requests that open a connection (spec/surfaces 3, 10). */
export class Credentials {
  readonly #keys: ApiKeys;
  readonly #queryKeys: boolean;
  readonly #now: () => number;

  constructor({ keys, queryKeys, now }: CredentialOptions) {
    this.#keys = new ApiKeys(keys);
    this.#queryKeys = queryKeys;
    this.#now = now;
  }

  /**
   * Reads all credentials of a request. Undefined when one of them is wrong: an unknown key, a token that is malformed or has expired, or a
   * parameter or header that occurs twice. `params` are those of the query.
   */
  of(headers: IncomingHttpHeaders, params: JsonObject): Credential | undefined {
    const { authorization = "" } = headers;
    const [, bearer] = /^Bearer +(\S+) *$/i.exec(authorization) ?? [];
    if (bearer === undefined && /^Bearer\b/i.test(authorization)) return undefined;
    const isKey = bearer !== undefined && this.#keys.accepts(bearer);
    const keys = [headers["x-api-key"], own(params, "api_key")].filter((key) => key !== undefined);
    if (!this.#queryKeys && own(params, "api_key") !== undefined) return undefined;
    if (!keys.every((key) => typeof key === "string" && this.#keys.accepts(key))) return undefined;
    const tokens = [isKey ? undefined : bearer, headers["airpipe-jwt"], own(params, "token")].filter((token) => token !== undefined);
    const [token] = tokens;
    const hasKey = isKey || keys.length > 0;
    if (token === undefined) return { hasKey };
    if (typeof token !== "string" || tokens.some((other) => other !== token)) return undefined;
    const plain = token.replace(/^Bearer +/i, "");
    const expires = this.#endOf(plain);
    if (expires === undefined) return undefined;
    return { hasKey, token: plain, ...(expires === Number.POSITIVE_INFINITY ? {} : { expires }) };
  }

  /** The time at which a token expires, in Unix milliseconds; undefined when the text is no token, or the token has expired. */
  #endOf(token: string): number | undefined {
    if (token.length > longestToken) return undefined;
    const exp = expiryOf(token);
    if (exp === null) return Number.POSITIVE_INFINITY;
    return exp !== undefined && exp * 1_000 > this.#now() ? exp * 1_000 : undefined;
  }
}

/** `exp` of a token in Unix seconds; null without one; undefined when the token or `exp` is malformed. */
function expiryOf(token: string): number | null | undefined {
  let claims: JsonObject;
  try {
    claims = decodeToken(token);
  } catch {
    return undefined; // all malformed tokens give the same answer
  }
  const exp = own(claims, "exp") ?? null;
  return exp === null || typeof exp === "number" ? exp : undefined;
}

/** The parameters of a query without the secrets among them. */
export function withoutSecrets(params: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(params).filter(([name]) => !secretParams.includes(name)));
}
