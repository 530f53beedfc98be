import { createHash, generateKeyPairSync } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type JWTPayload, jwtVerify, SignJWT } from "jose";

/** The key pair of all accounts. It is made once, since making it takes a tenth of a second. */
export const pair = generateKeyPairSync("rsa", { modulusLength: 2048 });
export const otherPair = generateKeyPairSync("rsa", { modulusLength: 2048 });
const issuer = generateKeyPairSync("rsa", { modulusLength: 2048 });

export const clientEmail = "push@shop-1.iam.gserviceaccount.com";

/** The clock of the token service, how long its tokens are valid, and the requests that it got. */
export interface Issues {
  /** Claims of the requests to the token service. */
  readonly assertions: Readonly<Record<string, unknown>>[];
  /** Milliseconds by which its clock is ahead. */
  ahead: number;
  /** Seconds for which tokens are valid. */
  lifetime: number;
}

/** Google's token service: it checks the assertion of a service account, and issues access tokens and ID tokens. */
export class TokenService {
  readonly #issues: Issues;
  /** Scopes of the access tokens. */
  readonly #tokens = new Map<string, string>();
  #given = 0;

  constructor(issues: Issues) {
    this.#issues = issues;
  }

  /** Answers a request; `audience` is the address of this service. */
  async answer(response: ServerResponse, body: string, audience: string): Promise<void> {
    const now = new Date(Date.now() + this.#issues.ahead);
    response.setHeader("date", now.toUTCString());
    const form = new URLSearchParams(body);
    if (form.get("grant_type") !== "urn:ietf:params:oauth:grant-type:jwt-bearer") {
      json(response, 400, { error: "unsupported_grant_type" });
      return;
    }
    const claims = await claimsOf(form.get("assertion") ?? "", audience, now);
    if (typeof claims === "string") {
      json(response, 400, { error: "invalid_grant", error_description: claims });
      return;
    }
    this.#issues.assertions.push(claims);
    this.#given += 1;
    if (typeof claims.target_audience === "string") json(response, 200, { id_token: await this.#idToken(claims.target_audience, now) });
    else json(response, 200, { access_token: this.#accessToken(claims), expires_in: this.#issues.lifetime, token_type: "Bearer" });
  }

  /** Answers 401 or 403 unless this service has issued the token of the request with this scope. */
  isAllowed(response: ServerResponse, message: IncomingMessage, scope: string): boolean {
    const scopes = this.#tokens.get((message.headers.authorization ?? "").replace(/^Bearer /, ""));
    if (scopes?.split(" ").includes(scope)) return true;
    const [status, name] = scopes === undefined ? [401, "UNAUTHENTICATED"] : [403, "PERMISSION_DENIED"];
    json(response, Number(status), { error: { code: status, message: "Request had invalid authentication credentials.", status: name } });
    return false;
  }

  /** Makes all issued tokens invalid. */
  revoke(): void {
    this.#tokens.clear();
  }

  #accessToken({ scope }: JWTPayload): string {
    const token = `ya29.${this.#given}.${createHash("sha256").update(String(this.#given)).digest("base64url")}`;
    this.#tokens.set(token, String(scope));
    return token;
  }

  #idToken(audience: string, now: Date): Promise<string> {
    return new SignJWT({ email: clientEmail, n: this.#given })
      .setProtectedHeader({ alg: "RS256" })
      .setAudience(audience)
      .setIssuer("https://accounts.google.com")
      .setIssuedAt(now)
      .setExpirationTime(Math.floor(now.getTime() / 1000) + this.#issues.lifetime)
      .sign(issuer.privateKey);
  }
}

/** The claims of an assertion, or the description of what is wrong with it. */
async function claimsOf(assertion: string, audience: string, now: Date): Promise<JWTPayload | string> {
  const bounds = { currentDate: now, clockTolerance: 60, maxTokenAge: 3600 };
  try {
    const options = { audience, issuer: clientEmail, algorithms: ["RS256"], typ: "JWT", ...bounds };
    const { payload } = await jwtVerify(assertion, pair.publicKey, options);
    if ((payload.exp ?? 0) - (payload.iat ?? 0) > 3600) throw new Error("too long");
    return payload;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "";
    return code === "ERR_JWT_EXPIRED" || code === "ERR_JWT_CLAIM_VALIDATION_FAILED"
      ? "Invalid JWT: Token must be a short-lived token and in a reasonable timeframe."
      : "Invalid JWT Signature.";
  }
}

export function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json; charset=UTF-8" });
  response.end(JSON.stringify(body));
}
