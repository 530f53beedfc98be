import { touchesOfAction } from "../../5-analyse/capabilities/index.ts";
import { member } from "../../5-analyse/capabilities/member.ts";
import { everyTest } from "../../5-analyse/uses.ts";
import type { Audited, AuditRule, ReportedPlace } from "../rule.ts";

/** Methods that are for reading. */
const reads: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

const one = (target: Audited, text: string): readonly ReportedPlace[] => [{ at: target.at, text }];

/** Rules about the callers of an interface. */
export const callers: readonly AuditRule[] = [
  {
    name: "no-authentication",
    severity: "high",
    why: "Anybody who reaches the service can change something by it.",
    remedy:
      "verify a token or signature in its first action (is_valid_jwt, is_valid_hmac, …) and name that action in run_when_succeeded of the others, or allow only your networks",
    find: (target) => {
      const { method, route, network } = target.plan;
      const writes = target.changes.length > 0;
      if (route === undefined || target.proves || target.fenced || !(writes || !reads.has(method))) return [];
      const text = `\`${method} ${route}\` ${writes ? "changes something" : "may change something"}, and no test authenticates its callers`;
      // A public form is at least bounded by a rate limit.
      return [{ at: target.at, text, ...(writes && network?.rules?.rate_limit === undefined ? {} : { severity: "medium" }) }];
    },
  },
  {
    name: "change-without-proof",
    severity: "high",
    why: "Actions run side by side: a failed test of one stops no other that does not wait for its success.",
    remedy: "name the action with the test in run_when_succeeded of this one",
    find: ({ proves, fenced, unproven, changes }) => {
      if (!proves || fenced) return [];
      return unproven.flatMap((action) => {
        const { name, at } = action;
        return at === undefined || touchesOfAction(action, changes).length === 0
          ? []
          : [{ at, text: `action \`${name}\` changes something also for callers who fail the authentication` }];
      });
    },
  },
  {
    name: "tool-without-authentication",
    severity: "high",
    why: "Every agent that reaches the service can call the tool.",
    remedy: "verify a token in the first action of the interface",
    find: (target) => {
      const { mcp } = target.plan;
      return mcp === undefined || target.proves || target.fenced ? [] : one(target, `tool \`${mcp.name}\` is open to every agent`);
    },
  },
  {
    name: "listed-tool",
    severity: "low",
    why: "Who may not call the tool sees in the list that it exists, and what it takes.",
    remedy: "name an interface as list_authorizer that verifies the token",
    find: (target) =>
      target.plan.mcp === undefined || target.plan.mcp.list_authorizer !== undefined
        ? []
        : one(target, `tool \`${target.plan.mcp.name}\` is listed to everybody`),
  },
  {
    name: "public-clients",
    severity: "medium",
    why: "Clients without a credential connect, and stay connected.",
    remedy: "leave `public` out and let a subscribe_authorizer decide",
    find: (target) =>
      target.plan.public === true && (target.plan.ws ?? target.plan.mqtt) !== undefined
        ? one(target, "its clients need no credential")
        : [],
  },
  {
    name: "no-policy",
    severity: "low",
    why: "Nothing bounds who calls it, and how often.",
    remedy: "give it a network policy with a rate_limit, or the whole configuration",
    find: (target) => (target.plan.route === undefined || target.plan.network !== undefined ? [] : one(target, "it has no network policy")),
  },
  {
    name: "monitored-policy",
    severity: "medium",
    why: "The rules are only watched: who breaks one is served all the same.",
    remedy: "leave `mode: monitor` out once its log shows what you expect",
    find: (target) =>
      target.plan.network?.mode === "monitor"
        ? [{ at: target.plan.network.at ?? target.at, text: "its network policy only monitors" }]
        : [],
  },
  {
    name: "spoofable-source",
    severity: "medium",
    why: "A caller writes the header from which its address is read, and so passes lists and limits.",
    remedy: "name your proxies as trusted_proxies, or take `source: socket` where there are none",
    find: ({ plan: { network }, config, at }) => {
      const rules = [network?.inherits === true ? config.network : undefined, network?.rules];
      const asks = rules.some((rule) => rule !== undefined && Object.keys(rule).length > 0);
      const isSure = network?.source === "socket" || network?.trusted_proxies !== undefined;
      return !asks || isSure ? [] : [{ at: network?.at ?? at, text: "the address of callers comes from a header that they may forge" }];
    },
  },
  {
    name: "token-of-anybody",
    severity: "medium",
    why: "A token that the same issuer has made for another service is taken, too.",
    remedy: "name the issuer and the audience in is_valid_jwt: iss, aud",
    find: ({ plan, at }) =>
      everyTest(plan).flatMap(({ matchers }) =>
        matchers.flatMap(({ use, operand, at: place }) => {
          if (use !== "is_valid_jwt" || operand.op === "root") return [];
          const has = (name: string): boolean => JSON.stringify(member(operand, name)) !== unset;
          return !has("jwks_url") || has("aud") ? [] : [{ at: place ?? at, text: "tokens are verified without an audience" }];
        }),
      ),
  },
];

const unset = JSON.stringify({ op: "lit", value: null });
