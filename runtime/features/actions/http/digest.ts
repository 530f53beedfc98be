import { createHash } from "node:crypto";
import type { Host } from "../../../process/host.ts";
import type { Json } from "../../../value/json.ts";
import type { HttpCall } from "./exchange.ts";

/** The credentials of a caller, for Digest authentication. */
export interface DigestLogin {
  readonly user: string;
  readonly pass: string;
}

/** The parameters that a service asks for in `www-authenticate`. */
type Challenge = ReadonlyMap<string, string>;

/** Hashes of RFC 7616 that Node has, best first. */
const algorithms: readonly (readonly [name: string, hash: string])[] = [
  ["SHA-512-256", "sha512-256"],
  ["SHA-256", "sha256"],
  ["MD5", "md5"],
];

/** The value of `authorization` that answers a challenge (RFC 7616); undefined when there is none that can be answered. */
export function answerChallenge(header: Json | undefined, call: HttpCall, login: DigestLogin, host: Host): string | undefined {
  if (typeof header !== "string") return undefined;
  const best = bestOf(header);
  return best === undefined ? undefined : answer(best, call, login, host.bytes(18).toString("base64"));
}

/** True where a service refuses nothing but the age of the nonce that was answered, and gives another one (RFC 7616, 3.3). */
export function isStale(header: Json | undefined, answered: Json | undefined): boolean {
  const [next, before] = [header, answered].map((one) => (typeof one === "string" ? bestOf(one)?.challenge : undefined));
  return next?.get("stale")?.toLowerCase() === "true" && next.get("nonce") !== before?.get("nonce");
}

const bestOf = (header: string): Answerable | undefined =>
  challengesOf(header)
    .flatMap((challenge) => answerable(challenge) ?? [])
    .toSorted((a, b) => a.rank - b.rank)[0];

interface Answerable {
  readonly challenge: Challenge;
  readonly rank: number;
  readonly hash: (text: string) => string;
}

/** The body is never hashed: `auth` is what services offer beside `auth-int`. Without `qop` it is the older RFC 2069. */
function answerable(challenge: Challenge): Answerable | undefined {
  const algorithm = (challenge.get("algorithm") ?? "MD5").toUpperCase().replace(/-SESS$/, "");
  const rank = algorithms.findIndex(([name]) => name === algorithm);
  const hash = algorithms[rank]?.[1];
  const qop = challenge.get("qop");
  const asks = qop === undefined || qop.split(/\s*,\s*/).includes("auth");
  if (hash === undefined || !asks || !challenge.has("nonce") || !challenge.has("realm")) return undefined;
  return { challenge, rank, hash: (text) => createHash(hash).update(text).digest("hex") };
}

function answer({ challenge, hash }: Answerable, { method, url, query }: HttpCall, { user, pass }: DigestLogin, cnonce: string): string {
  const { realm = "", nonce = "", opaque, algorithm, qop } = Object.fromEntries(challenge);
  const uri = `${url.pathname}${query}`;
  const nc = "00000001";
  // Header lines come one character a byte; what is hashed is text.
  const place = Buffer.from(realm, "latin1").toString();
  const account = hash(`${user}:${place}:${pass}`);
  const secret = /-sess$/i.test(algorithm ?? "") ? hash(`${account}:${nonce}:${cnonce}`) : account;
  const request = hash(`${method}:${uri}`);
  const response = hash(qop === undefined ? `${secret}:${nonce}:${request}` : `${secret}:${nonce}:${nc}:${cnonce}:auth:${request}`);
  const hashed = challenge.get("userhash")?.toLowerCase() === "true";
  return `Digest ${[
    ...userField(hashed ? hash(`${user}:${place}`) : user),
    `realm=${quoted(realm)}`,
    `nonce=${quoted(nonce)}`,
    `uri=${quoted(uri)}`,
    `response="${response}"`,
    ...(algorithm === undefined ? [] : [`algorithm=${algorithm}`]),
    ...(opaque === undefined ? [] : [`opaque=${quoted(opaque)}`]),
    ...(qop === undefined ? [] : ["qop=auth", `nc=${nc}`, `cnonce="${cnonce}"`]),
    ...(hashed ? ["userhash=true"] : []),
  ].join(", ")}`;
}

/** A name beyond ASCII is written with its encoding (RFC 7616, 3.4). */
const userField = (user: string): string[] =>
  /^[\x20-\x7e]*$/.test(user) ? [`username=${quoted(user)}`] : [`username*=UTF-8''${percentEncoded(user)}`];

const percentEncoded = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

const quoted = (text: string): string => `"${text.replace(/["\\]/g, "\\$&")}"`;

/** The Digest challenges of a header, which may hold several of any scheme (RFC 9110, 11.6.1). */
function challengesOf(header: string): Challenge[] {
  const challenges: Map<string, string>[] = [];
  let here: Map<string, string> | undefined;
  for (const [, name = "", equals, inQuotes, bare] of header.matchAll(
    /([\w!#$%&'*+.^`|~-]+)\s*(?:(=)\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]*)))?/g,
  )) {
    if (equals !== undefined) here?.set(name.toLowerCase(), inQuotes?.replace(/\\(.)/g, "$1") ?? bare ?? "");
    else {
      here = name.toLowerCase() === "digest" ? new Map() : undefined;
      if (here !== undefined) challenges.push(here);
    }
  }
  return challenges;
}
