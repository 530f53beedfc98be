import { badSecret } from "../../keys/hmac.ts";
import type { Host } from "../../process/host.ts";
import type { Levels } from "../../realtime/names.ts";
import { historyVariable, listOf, publicPatterns, publicVariable, wholeNumber } from "../../realtime/settings.ts";

/** The settings of an operator about sockets (spec/surfaces 3). */
export interface WsSettings {
  /** The most connections of this process at the same time; with 0 there are no sockets. */
  readonly maxConnections: number;
  /** The channels that a client without a credential may use. */
  readonly publicChannels: readonly Levels[];
  /** Origins of pages that may connect; undefined allows any origin, since browsers send no credential of this service by themselves. */
  readonly origins: ReadonlySet<string> | undefined;
  /** The key that must have signed a valid token: a shared secret, or the address of a key set. */
  readonly jwt: string | undefined;
}

const defaultConnections = 1_000;

const names = {
  connections: "PIPEWRIGHT_WS_MAX_CONNECTIONS",
  public: publicVariable,
  origins: "PIPEWRIGHT_WS_ORIGINS",
  jwt: "PIPEWRIGHT_WS_REQUIRE_JWT",
} as const;

/** Reads the settings. A wrong one counts as the strictest that it could mean; `problems` has the reason. */
export function wsSettings(host: Host): WsSettings & { readonly problems: readonly string[] } {
  const problems: string[] = [];
  const connections = wholeNumber(host, names.connections, defaultConnections, problems);
  wholeNumber(host, historyVariable, 0, problems);
  const origins = listOf(host.env(names.origins) ?? "");
  for (const origin of origins) {
    if (origin !== "null" && (!URL.canParse(origin) || new URL(origin).origin !== origin))
      problems.push(`${names.origins}: '${origin}' is no origin, such as https://app.example`);
  }
  const jwt = host.env(names.jwt) || undefined;
  const bad = jwt === undefined ? undefined : badSecret(jwt);
  if (bad !== undefined) problems.push(`${names.jwt}: ${bad}`);
  if (jwt !== undefined) host.redactor.add(names.jwt, jwt);
  return {
    maxConnections: connections ?? 0,
    publicChannels: publicPatterns(host, problems),
    origins: origins.length === 0 ? undefined : new Set(origins),
    jwt,
    problems,
  };
}

/** True when the operator has set which channels a client without a credential may use. */
export const boundsPublic = (host: Host): boolean => (host.env(names.public) ?? "") !== "";

/** The warning when one interface guards channels that another interface opens (spec/surfaces 3). */
export const openChannels = `${names.public} is not set: sockets without credential could name the channels that subscribe_authorizer guards; set it to the patterns they may name, such as news:#`;

/** The remedy against forged tokens that open a socket. */
export const verifying = `test it with is_valid_jwt in the interface or its subscribe_authorizer, or set ${names.jwt}`;

/** The warning about a guard beside an interface that only asks for a token, which is not verified. */
export const forgedTokens = `any token, also a forged one, opens a socket here, and may name channels that subscribe_authorizer guards elsewhere: set ${names.public}, ${names.jwt}, or a subscribe_authorizer`;
