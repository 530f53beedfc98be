import type { JsonSchema } from "#runtime/features/feature.ts";
import { type Definitions, flag, integer, list, preset, record, ref, started, text, word } from "./shapes.ts";

/**
 * Records of the network policy (spec/surfaces 9). All values are known when the process starts, because a policy is applied before a run
 * exists.
 */
const records: Definitions = {
  NetworkPolicy: record("NetworkPolicy", "Who may reach an interface.", {
    mode: word("Block, or only log what would be blocked.", ["enforce", "monitor"], "enforce"),
    inherit: flag("Whether the policy of the configuration applies, too.", true),
    source: word("Address that counts: by forwarding headers, of the peer, or X-Real-IP.", ["client", "socket", "real_ip"], "client"),
    trusted_proxies: list("Address ranges of proxies whose forwarding headers are believed.", range()),
    ip: ref("IpRule", "Callers that are let in, by their address."),
    geo: ref("GeoRule", "Callers that are let in, by the country of their address."),
    asn: ref("AsnRule", "Callers that are let in, by the network (autonomous system) of their address."),
    rate_limit: ref("RateLimitRule", "How many requests are let in."),
    on_deny: ref("DenyResponse", "Answer to who is denied."),
  }),

  IpRule: record("IpRule", "Allows and denies addresses.", {
    allow: list("Addresses and ranges that are let in, and no others; an empty list lets nobody in.", range()),
    deny: list("Addresses and ranges that are kept out.", range()),
    deny_check: word("Deny by the address of `source`, or by all that forwarded the request.", ["source", "all"], "source"),
  }),

  GeoRule: record("GeoRule", "Allows and denies countries, by the file of PIPEWRIGHT_GEO_MMDB.", {
    allow: list("Countries that are let in, and no others, as ISO 3166-1 alpha-2; an empty list lets nobody in.", country()),
    deny: list("Countries that are kept out.", country()),
    require_resolution: flag("Deny addresses of unknown country."),
  }),

  AsnRule: record("AsnRule", "Allows and denies networks, by the file of PIPEWRIGHT_ASN_MMDB.", {
    allow: list("Numbers of networks that are let in, and no others; an empty list lets nobody in.", asn()),
    deny: list("Numbers of networks that are kept out.", asn()),
    require_resolution: flag("Deny addresses of unknown network."),
  }),

  RateLimitRule: record(
    "RateLimitRule",
    "Limits the number of requests.",
    {
      per: word("What is counted.", ["ip"], "ip"),
      requests: integer("Most requests of one address in a window.", 1),
      window: {
        type: ["string", "number"],
        format: "duration",
        judge: "rate_window",
        default: "60s",
        description: "Length of the window, from 1s to 24h.",
      },
      burst: integer("Reserved; it has no effect yet.", 0),
    },
    ["requests"],
  ),

  DenyResponse: record("DenyResponse", "Answer to who is denied.", {
    status: preset(integer("Status of the answer.", 200, 599), 403),
    body: { description: "Body: a text is sent as it is, anything else as JSON; {error: forbidden} by default." },
    headers: {
      type: "object",
      additionalProperties: { judge: "header_line", description: "A header." },
      description: "Headers; a null value leaves its header out.",
    },
  }),
};

/** Number of an autonomous system. */
function asn(): JsonSchema {
  return integer("Number of an autonomous system.", 0, 4_294_967_295);
}

function range(): JsonSchema {
  return { ...text("An address or a range."), judge: "address_range" };
}

function country(): JsonSchema {
  return { ...text("ISO 3166-1 alpha-2."), judge: "country_code" };
}

export const networkRecords: Definitions = Object.fromEntries(Object.entries(records).map(([name, schema]) => [name, started(schema)]));
