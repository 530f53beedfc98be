import { signedToken } from "../../../keys/google-signature.ts";
import { decodeToken } from "../../../keys/jwt.ts";
import { hostOf, touches } from "../../../outgoing/touches.ts";
import type { Host, Resource } from "../../../process/host.ts";
import type { Act } from "../../../run/run.ts";
import { Failure } from "../../../value/failure.ts";
import { isObject, type JsonObject, own } from "../../../value/json.ts";
import { Recent } from "../../../value/recent.ts";
import type { Answer } from "../http/answer.ts";
import { type Account, digestOf } from "./account.ts";
import { broken, isGood, objectOf, refusal, sent, textIn } from "./ask.ts";

/** The kind of token that is wanted; unset parts are null. */
export interface TokenArgs {
  readonly scopes?: readonly (string | null)[] | null;
  readonly audience?: string | null;
  readonly sub?: string | null;
  readonly use_id_token?: boolean | null;
}

/** A token. */
export interface Token {
  readonly text: string;
  /** Unix milliseconds, by our clock. */
  readonly expires: number;
  /** The answer of the service, or what stands in its place where the account signs the token itself. */
  readonly raw: JsonObject;
}

/** Tokens that a process keeps: between this number and twice as many. */
const mostTokens = 256;

/** Seconds for which an account asks: the most that Google gives. */
const lifetime = 3600;

/** Milliseconds before its end at which a token is fetched anew, at most a tenth of its time. */
const early = 300_000;

/** choice: milliseconds for which a token that could not be fetched anew is left alone. */
const pause = 10_000;

/** choice: the number of latest tokens that are hidden in texts of the process. */
const mostHidden = 16;

/** Milliseconds by which our clock may differ before it is corrected. */
const tolerated = 30_000;

/** choice: characters of a token; those of Google have at most 2,048. */
const longest = 16_384;

interface Kept {
  readonly token: Token;
  /** Milliseconds of the monotonic clock. */
  readonly renew: number;
  readonly end: number;
}

/** The outcome of a shared request whose own run has ended: another run has to send it again. */
const left = Symbol("left");

/** The tokens of a process. One run asks for a token, and all others that want the same wait for it. */
class Tokens implements Resource {
  readonly #kept = new Recent<Kept>(mostTokens);
  readonly #pending = new Map<string, Promise<Kept | Failure | typeof left>>();
  #hidden = 0;
  /** Milliseconds by which the clock of the service is ahead of ours. */
  offset = 0;

  async get(key: string, act: Act, fetch: () => Promise<Token>): Promise<Token> {
    const { host } = act.run;
    for (;;) {
      act.throwIfCancelled();
      const entry = this.#kept.get(key);
      if (entry !== undefined && host.monotonic() < entry.renew) return entry.token;
      const outcome = await this.#outcome(key, act, fetch);
      if (outcome === left) continue;
      if (!(outcome instanceof Failure)) return outcome.token;
      if (entry !== undefined && host.monotonic() < entry.end) {
        this.#kept.set(key, { ...entry, renew: Math.min(entry.end, host.monotonic() + pause) });
        return entry.token;
      }
      throw new Failure(outcome.kind, outcome.message, outcome.details);
    }
  }

  /** Forgets a token, unless another run has fetched a new one meanwhile. */
  forget(key: string, refused: string): void {
    const entry = this.#kept.get(key);
    if (entry?.token.text === refused) this.#kept.set(key, { ...entry, renew: 0, end: 0 });
  }

  close(): void {
    // There is nothing to close: each request belongs to its run.
  }

  #outcome(key: string, act: Act, fetch: () => Promise<Token>): Promise<Kept | Failure | typeof left> {
    const pending = this.#pending.get(key);
    if (pending !== undefined) return whileWanted(act, pending);
    const { promise, resolve } = Promise.withResolvers<Kept | Failure | typeof left>();
    this.#pending.set(key, promise);
    const own = this.#fetched(key, act, fetch).finally(() => this.#pending.delete(key));
    own.then(
      (outcome) => resolve(outcome instanceof Failure && act.cancellation.aborted ? left : outcome),
      // A bug ends only the run that has sent the request; the other runs send their own.
      () => resolve(left),
    );
    return own;
  }

  async #fetched(key: string, { run: { host } }: Act, fetch: () => Promise<Token>): Promise<Kept | Failure> {
    try {
      const token = await fetch();
      host.redactor.add(`google token ${this.#hidden++ % mostHidden}`, token.text);
      const [now, span] = [host.monotonic(), token.expires - host.now()];
      const entry = { token, renew: now + span - Math.min(early, span / 10), end: now + span };
      this.#kept.set(key, entry);
      return entry;
    } catch (error) {
      if (error instanceof Failure) return error;
      throw error;
    }
  }
}

/** Waits for the request of another run, until the action is cancelled. */
function whileWanted<V>({ cancellation }: Act, pending: Promise<V>): Promise<V> {
  const { promise, resolve, reject } = Promise.withResolvers<V>();
  const forget = cancellation.listen(() => reject(new Failure("transport", "google: cancelled", { upstream: 502 })));
  pending.then(resolve, reject);
  return promise.finally(forget);
}

const tokensOf = (host: Host): Tokens => host.resource("google tokens", () => new Tokens());

/** The time of the service, in Unix milliseconds. */
export const correctedNow = (host: Host): number => host.now() + tokensOf(host).offset;

/** Claims of the assertion with which a token is asked for, and the member of the answer that is the token. */
interface Wanted {
  readonly claims: Readonly<Record<string, string>>;
  readonly member: "access_token" | "id_token";
}

/** A token of an account, other than the one that a service has refused. */
export function tokenOf(act: Act, account: Account, args: TokenArgs, timeout: number, refused?: string): Promise<Token> {
  const { host } = act.run;
  const request = wantedOf(args);
  const tokens = tokensOf(host);
  const uri = account.token_uri.href;
  const key = digestOf([account.id, uri, request]);
  if (refused !== undefined) tokens.forget(key, refused);
  if (request.claims.aud !== undefined) return tokens.get(key, act, async () => ownToken(account, request.claims, host));
  // The touch is checked before kept tokens are used, which another interface may have fetched.
  touches(act.run, hostOf(account.token_uri));
  return tokens.get(key, act, () => fetched(act, account, request, timeout));
}

/** Scopes ask for an access token, an audience alone is for a token that the account signs itself. */
function wantedOf({ scopes, audience = null, sub = null, use_id_token }: TokenArgs): Wanted {
  const acting: Readonly<Record<string, string>> = sub === null || sub === "" ? {} : { sub };
  if (use_id_token === true) {
    if (audience === null || audience === "") throw unset("audience");
    return { claims: { target_audience: audience, ...acting }, member: "id_token" };
  }
  const scope = (scopes ?? []).flatMap((each) => each ?? []).map(checkedScope);
  if (scope.length > 0) return { claims: { scope: scope.join(" "), ...acting }, member: "access_token" };
  if (audience === null || audience === "") throw unset("scopes");
  return { claims: { aud: audience, ...acting }, member: "access_token" };
}

const unset = (field: string): Failure => new Failure("evaluation", `google create_token: ${field} is not set`);

/** Spaces part scopes, so that a scope out of data must not have any (RFC 6749, 3.3). */
function checkedScope(scope: string): string {
  if (!/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope)) throw new Failure("evaluation", "google create_token: a scope has characters of none");
  return scope;
}

/** A token that the account signs itself, for an API that accepts such tokens; no request is sent. */
function ownToken(account: Account, claims: Wanted["claims"], host: Host): Token {
  const { text, exp } = assertion(account, { sub: account.client_email, ...claims }, host);
  return {
    text,
    expires: exp * 1000 - tokensOf(host).offset,
    raw: { access_token: text, expires_in: lifetime, token_type: "Bearer" },
  };
}

function assertion(account: Account, claims: Wanted["claims"], host: Host): { readonly text: string; readonly exp: number } {
  const iat = Math.floor(correctedNow(host) / 1000);
  const exp = iat + lifetime;
  return { text: signedToken({ iss: account.client_email, ...claims, iat, exp }, account.private_key_id, account.sign), exp };
}

const service = "token";

/** Asks once more when the service calls our time wrong, and its own clock differs from ours. */
async function fetched(act: Act, account: Account, wanted: Wanted, timeout: number): Promise<Token> {
  const first = await asked(act, account, wanted, timeout);
  if (isGood(first)) return tokenIn(first, wanted.member, act.run.host);
  const refused = refusal(service, first);
  if (!corrects(act.run.host, first, refused)) throw refused;
  const second = await asked(act, account, wanted, timeout);
  if (isGood(second)) return tokenIn(second, wanted.member, act.run.host);
  throw refusal(service, second);
}

/** True when a refusal may mean that our clock is wrong, and our clock is wrong. From then on the time of the service counts. */
function corrects(host: Host, { status, headers }: Answer, { details: { data = null } }: Failure): boolean {
  const date = own(headers, "date");
  if (status !== 400 || typeof date !== "string" || !isObject(data) || own(data, "code") !== "invalid_grant") return false;
  const offset = Date.parse(date) - host.now();
  const tokens = tokensOf(host);
  if (!Number.isFinite(offset) || Math.abs(offset - tokens.offset) <= tolerated) return false;
  tokens.offset = Math.abs(offset) <= tolerated ? 0 : offset;
  host.log("warn", `google: the clock of this machine differs by ${Math.round(Math.abs(offset) / 1000)} s from that of the token service`);
  return true;
}

function asked(act: Act, account: Account, { claims }: Wanted, timeout: number): Promise<Answer> {
  const { text: jwt } = assertion(account, { ...claims, aud: account.token_uri.href }, act.run.host);
  const body = new URLSearchParams({ grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion: jwt }).toString();
  const headers = { "content-type": "application/x-www-form-urlencoded", accept: "application/json" };
  return sent(act, { service, method: "POST", url: account.token_uri, headers, body, timeout });
}

function tokenIn(answer: Answer, member: Wanted["member"], host: Host): Token {
  const raw = objectOf(service, answer);
  const text = textIn(service, raw, member);
  if (text.length > longest || !/^[\x21-\x7e]+$/.test(text)) throw broken(service, `the ${member} is no token`);
  return { text, raw, expires: host.now() + secondsOf(member, text, raw, host) * 1000 };
}

/** The seconds for which a token is good. An ID token says it itself. */
function secondsOf(member: Wanted["member"], text: string, answer: JsonObject, host: Host): number {
  const seconds = member === "id_token" ? expiryOf(text, host) : own(answer, "expires_in");
  return typeof seconds === "number" && seconds > 0 && seconds <= 86_400 ? seconds : lifetime;
}

function expiryOf(token: string, host: Host): number | undefined {
  try {
    const { exp } = decodeToken(token);
    return typeof exp === "number" ? exp - Math.floor(correctedNow(host) / 1000) : undefined;
  } catch {
    throw broken(service, "the id_token is no token");
  }
}

/** The data of `create_token`: the token under its own name and as `token`, and as a header wants it. */
export function tokenData({ text, expires, raw }: Token, host: Host): JsonObject {
  const member = own(raw, "access_token") === undefined ? "id_token" : "access_token";
  return {
    token: text,
    [member]: text,
    token_type: "Bearer",
    authorization: `Bearer ${text}`,
    expires_in: secondsLeft(expires, host),
    expires_at: new Date(expires).toISOString(),
  };
}

/** The data of `create_token_raw`: the answer of the service, with the seconds that are left now. */
export const rawToken = ({ raw, expires }: Token, host: Host): JsonObject =>
  own(raw, "expires_in") === undefined ? raw : { ...raw, expires_in: secondsLeft(expires, host) };

const secondsLeft = (expires: number, host: Host): number => Math.max(0, Math.floor((expires - host.now()) / 1000));
