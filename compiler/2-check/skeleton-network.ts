import type { JsonSchema } from "#runtime/feature.ts";
import { type Definitions, fixedFlag, fixedInteger, fixedText, fixedWord, list, record, ref } from "./shapes.ts";

/** Records of the network policy (service.txt NetworkPolicy, surfaces.md 9). All of it is fixed when compiling: a policy is decided before a run exists. */
export const networkRecords: Definitions = {
  NetworkPolicy: record("NetworkPolicy", "Who may reach an interface.", {
    mode: fixedWord("Block, or only log what would be blocked.", ["enforce", "monitor"], "enforce"),
    inherit: fixedFlag("Whether the policy of the configuration applies, too.", true),
    source: fixedWord("Which address counts.", ["client", "socket", "real_ip"], "client"),
    trusted_proxies: list("Address ranges of proxies whose forwarding headers are believed.", fixedText("An address range.")),
    ip: ref("IpRule", "By address."),
    geo: ref("GeoRule", "By country."),
    asn: ref("AsnRule", "By network."),
    rate_limit: ref("RateLimitRule", "By number of requests."),
    on_deny: ref("DenyResponse", "Answer to who is denied."),
  }),

  IpRule: record("IpRule", "Allows and denies addresses.", {
    allow: list("Only these; an empty list lets nobody in.", fixedText("An address or a range.")),
    deny: list("Not these.", fixedText("An address or a range.")),
    deny_check: fixedWord("Whether every address of the chain is checked.", ["source", "all"], "source"),
  }),

  GeoRule: record("GeoRule", "Allows and denies countries, by the file of PIPEWRIGHT_GEO_MMDB.", {
    allow: list("Only these; an empty list lets nobody in.", fixedText("ISO 3166-1 alpha-2.")),
    deny: list("Not these.", fixedText("ISO 3166-1 alpha-2.")),
    require_resolution: fixedFlag("Deny addresses of unknown country."),
  }),

  AsnRule: record("AsnRule", "Allows and denies networks, by the file of PIPEWRIGHT_ASN_MMDB.", {
    allow: list("Only these; an empty list lets nobody in.", asn()),
    deny: list("Not these.", asn()),
    require_resolution: fixedFlag("Deny addresses of unknown network."),
  }),

  RateLimitRule: record(
    "RateLimitRule",
    "Limits the number of requests.",
    {
      per: fixedWord("What is counted.", ["ip"], "ip"),
      requests: fixedInteger("Most requests in a window.", 1),
      window: {
        type: ["string", "number"],
        format: "duration",
        context: "static",
        default: "60s",
        description: "Length of the window, from 1s to 24h.",
      },
      burst: fixedInteger("Reserved, without effect.", 0),
    },
    ["requests"],
  ),

  DenyResponse: record("DenyResponse", "Answer to who is denied.", {
    status: fixedInteger("Status, 403 by default.", 200, 599),
    body: { context: "static", description: "Body: a text is sent as it is, anything else as JSON; {error: forbidden} by default." },
    headers: {
      type: "object",
      additionalProperties: { context: "static", description: "A header." },
      description: "Headers; a null value leaves its header out.",
    },
  }),
};

/** Number of an autonomous system. */
function asn(): JsonSchema {
  return fixedInteger("Number of an autonomous system.", 0, 4_294_967_295);
}
