import { error, warning } from "./code.ts";

/** 66x: who may reach an interface (spec/surfaces 9). */
export const network = {
  range: error(
    "PW660",
    (text: string) => ({ message: `'${text}' is no address and no range`, hint: "such as 192.0.2.1, 10.0.0.0/8 or 2001:db8::/32" }),
    {
      means:
        "Lists of a network policy hold IPv4 and IPv6 addresses and ranges in CIDR notation. Octets are decimal and without leading zeros; the prefix is at most 32, or 128 for IPv6.",
      wrong: "network:\n  ip: { deny: [10.0.0.0/33] }",
      right: "network:\n  ip: { deny: [10.0.0.0/8] }",
    },
  ),
  country: error("PW661", (problem: string) => ({ message: problem, hint: "two letters of ISO 3166-1, such as DE" }), {
    means: "Countries are named by their two letters of ISO 3166-1 alpha-2, in upper or lower case.",
    wrong: "network:\n  geo: { deny: [Germany] }",
    right: "network:\n  geo: { deny: [DE] }",
  }),
  window: error("PW662", () => ({ message: "the window of a rate limit is outside 1s..24h", hint: "a bare number is milliseconds" }), {
    means: "The window of a rate limit is 1 second to 24 hours long. A bare number is milliseconds.",
    wrong: "network:\n  rate_limit: { requests: 10, window: 60 }",
    right: "network:\n  rate_limit: { requests: 10, window: 60s }",
  }),
  nobody: warning(
    "PW663",
    (kind: string) => ({
      message: `nobody may reach this interface: its ${kind}.allow and that of the configuration have nothing in common`,
      hint: "an interface only tightens what it inherits; inherit: false leaves the policy of the configuration out",
    }),
    {
      means:
        "Allow lists of the configuration and of an interface intersect: a caller must be in both. These have no common member, so every caller is denied.",
      wrong: "network: { ip: { allow: [10.0.0.0/8] } }\ninterfaces:\n  admin: { network: { ip: { allow: [192.0.2.0/24] } } }",
      right: "network: { ip: { allow: [10.0.0.0/8] } }\ninterfaces:\n  admin: { network: { ip: { allow: [10.1.0.0/16] } } }",
    },
  ),
  header: error(
    "PW664",
    (name: string) => ({
      message: `header '${name}' cannot be sent`,
      hint: "a name of letters, digits and -, and a line of printable ASCII",
    }),
    {
      means: "The name or the value is not valid in HTTP: a value is one line of text, never a list or a map.",
      wrong: 'network:\n  on_deny: { headers: { "retry after": 60 } }',
      right: "network:\n  on_deny: { headers: { retry-after: 60 } }",
    },
  ),
};
