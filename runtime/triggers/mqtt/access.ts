import { createHash } from "node:crypto";
import type { Host } from "../../process/host.ts";
import type { Credential, Credentials } from "../http/credentials.ts";
import type { Connect } from "./packets.ts";
import { type Reason, reasons } from "./reasons.ts";
import type { Caller, Peer, Permission } from "./rules.ts";
import { levelsOf, type TopicFilter } from "./topics.ts";
import type { TriggerTopics } from "./trigger-topics.ts";

/** Names of environments: messages to topics of another environment are not delivered (spec/surfaces 4). */
const environments: readonly string[] = ["production", "staging"];

/**
 * Identifies a client: the organisation by one of its API keys, a user by a token, or an anonymous client when an interface is public. A
 * client without credentials in its CONNECT has those of its upgrade request.
 */
export function admit(
  { username, password }: Connect,
  { credential }: Peer,
  { host, credentials, topics }: { readonly host: Host; readonly credentials: Credentials; readonly topics: TriggerTopics },
): Caller | Reason {
  if (password === undefined) {
    if (credential.hasKey || credential.token !== undefined) return callerOf(credential, host);
    if (username !== undefined && username !== host.organisation) return reasons.badCredentials;
    return topics.hasPublic ? { kind: "anonymous", scope: "anonymous" } : reasons.notAuthorized;
  }
  const secret = password.toString();
  const byKey = credentials.of({ "x-api-key": secret }, {});
  if (byKey !== undefined) return username === host.organisation ? callerOf(byKey, host) : reasons.badCredentials;
  const byToken = credentials.of({ "airpipe-jwt": secret }, {});
  return byToken === undefined ? reasons.badCredentials : callerOf(byToken, host);
}

/** A session belongs to the token, not to its user, because the token is not verified. */
function callerOf({ hasKey, token, expires }: Credential, host: Host): Caller {
  if (token === undefined) return { kind: "key", scope: "key" };
  const until = expires === undefined ? {} : { until: host.monotonic() + expires - host.now() };
  if (hasKey) return { kind: "key", scope: "key", jwt: token, ...until };
  return { kind: "jwt", scope: `jwt ${createHash("sha256").update(token).digest("base64url")}`, jwt: token, ...until };
}

/**
 * Decides about a message to this topic (spec/surfaces 4). An unverified token gives no rights of its own, as on a WebSocket
 * (spec/surfaces 3). Such a client may still send messages that run an interface, because the run itself verifies the token.
 */
export function permissionOf(caller: Caller, topic: string, topics: TriggerTopics, { environment }: Host): Permission {
  const [first = ""] = levelsOf(topic);
  // Clients may not publish to the broker's own topics.
  if (first.startsWith("$")) return "drop";
  if (first !== environment && environments.includes(first)) return "refuse";
  if (caller.kind === "key") return "deliver";
  const trigger = topics.at(topic);
  if (trigger?.interface.public === true) return "deliver";
  return trigger !== undefined && caller.kind === "jwt" ? "run" : "refuse";
}

/** True when a client may subscribe to these topics at all; authorizers decide after that. */
export function mayAsk(caller: Caller, filter: TopicFilter, topics: TriggerTopics): boolean {
  if (caller.kind === "key") return true;
  // A member of a shared group would take messages from the other members.
  if (filter.group !== undefined) return false;
  return topics.isPublic(filter) || (caller.kind === "jwt" && topics.isGuarded(filter));
}
