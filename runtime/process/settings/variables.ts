import { defaultLimits } from "../host.ts";
import { tracingVariables } from "./tracing-variables.ts";
import type { VariableRecord } from "./variable-record.ts";

/** Every variable that a process reads, except variables of other programs. */
export const variables = {
  PIPEWRIGHT_ENV: {
    group: "Process",
    meaning: "Environment, a part of addresses and of the names of files: 1 to 64 of a-z, 0-9 and -.",
    preset: "production",
    example: "staging",
  },
  PIPEWRIGHT_ORG: {
    group: "Process",
    meaning: "Organisation, a part of addresses; a process serves one.",
    preset: "local",
    example: "acme",
  },
  PIPEWRIGHT_LOG_LEVEL: {
    group: "Process",
    meaning: "Lowest level of the lines that are logged: trace, debug, info, warn, error or critical.",
    preset: "info",
    example: "warn",
  },
  PIPEWRIGHT_WORKERS: {
    group: "Process",
    meaning: "Processes that share the port: a number up to 256, or auto for one per processor.",
    preset: 1,
    example: "auto",
  },
  PIPEWRIGHT_CLUSTERED: {
    group: "Process",
    meaning: "Set to `true` when other nodes serve the same configurations; state and schedules then need a shared database.",
    preset: "false",
    example: "true",
  },
  PIPEWRIGHT_DOCS: { group: "Process", meaning: "With `off` the API documentation is hidden.", preset: "on", example: "off" },
  PIPEWRIGHT_ENTITLEMENTS: {
    group: "Process",
    meaning: "Comma list of extra features that configurations may use: compression, documents.",
    preset: "compression,documents",
    example: "compression",
  },
  PIPEWRIGHT_SHUTDOWN_GRACE_MS: {
    group: "Process",
    meaning: "Milliseconds that runs may still take after SIGTERM.",
    preset: defaultLimits.shutdownGraceMs,
    example: "10000",
  },

  PIPEWRIGHT_VARS: {
    group: "Data",
    meaning: "Comma list of files of managed variables; those of --vars win.",
    example: "/etc/shop/vars.yaml",
  },
  PIPEWRIGHT_MASTER_KEY: {
    group: "Data",
    meaning: "Key that opens sealed variables: Base64 of 32 bytes, or file: and the path of a file with it.",
    example: "file:/run/secrets/master-key",
    secret: true,
  },
  PIPEWRIGHT_NEW_MASTER_KEY: {
    group: "Data",
    meaning: "Key that `pipewright vars rotate` seals with from now on, in the forms of PIPEWRIGHT_MASTER_KEY.",
    example: "file:/run/secrets/new-master-key",
    secret: true,
  },
  PIPEWRIGHT_ENV_ALLOW: {
    group: "Data",
    meaning: "Comma list of the variables that configurations may read, with * for any text.",
    preset: "*",
    example: "DATABASE_*,REGION",
  },
  PIPEWRIGHT_DATABASE_URL: {
    group: "Data",
    meaning: "Database of state, claims of schedules and recorded runs: postgres://… for many nodes, sqlite:FILE for one.",
    example: "sqlite:/var/lib/shop/state.db",
  },
  PIPEWRIGHT_STATE_DATABASE_URL: {
    group: "Data",
    meaning: "Database of state and durable runs alone, in place of PIPEWRIGHT_DATABASE_URL.",
    example: "postgres://state.internal/state",
  },
  PIPEWRIGHT_RUNS_KEY: {
    group: "Data",
    meaning:
      "Keys that seal durable runs in the database, each Base64 of 32 bytes: a comma list, or file: and the path of a file with one key a line. The first one seals, each of them opens.",
    example: "file:/run/secrets/runs-key",
    secret: true,
  },
  PIPEWRIGHT_RUNS_KEPT_HOURS: {
    group: "Data",
    meaning: "Hours for which ended durable runs stay in the database.",
    preset: defaultLimits.runsKeptMs / 3_600_000,
    example: "720",
  },
  PIPEWRIGHT_STATE_MAX_BYTES: {
    group: "Data",
    meaning: "Most bytes of keys and JSON texts of a state in memory; if set, a process without a database keeps its state in memory.",
    preset: defaultLimits.maxStateBytes,
    example: "67108864",
  },

  PIPEWRIGHT_MAX_BODY_BYTES: {
    group: "Bounds",
    meaning: "Largest body of a request in bytes; a larger one is answered with 413.",
    preset: defaultLimits.maxBodyBytes,
    example: "1048576",
  },
  PIPEWRIGHT_MAX_BODIES_BYTES: {
    group: "Bounds",
    meaning: "Most bytes of all large bodies whose requests are not answered yet; further ones are answered with 503.",
    preset: defaultLimits.maxBodiesBytes,
    example: "67108864",
  },
  PIPEWRIGHT_MAX_PARTS: {
    group: "Bounds",
    meaning: "Most parts of a form (multipart/form-data); a form with more is answered with 413.",
    preset: defaultLimits.maxParts,
    example: "20",
  },
  PIPEWRIGHT_RUN_TIMEOUT_MS: {
    group: "Bounds",
    meaning: "Milliseconds that a run may take; a longer one is answered with 504.",
    preset: defaultLimits.runTimeoutMs,
    example: "60000",
  },
  PIPEWRIGHT_MAX_DELAY_SECS: {
    group: "Bounds",
    meaning: "Longest `delay` in seconds; a longer one fails, except in a durable run.",
    preset: defaultLimits.maxDelayMs / 1_000,
    example: "60",
  },
  PIPEWRIGHT_MAX_DETACHED_RUNS: {
    group: "Bounds",
    meaning: "Most runs of `respond: early` at the same time, on all nodes that share a database; more are answered with 429.",
    preset: defaultLimits.maxDetachedRuns,
    example: "500",
  },
  PIPEWRIGHT_MAX_COMPRESS_BYTES: {
    group: "Bounds",
    meaning: "Most bytes that `compress` reads, and that `decompress` reads or writes.",
    preset: defaultLimits.maxCompressBytes,
    example: "1048576",
  },
  PIPEWRIGHT_MAX_DOCUMENT_BYTES: {
    group: "Bounds",
    meaning: "Largest document in bytes that `parse_xlsx` and `parse_pdf` read.",
    preset: defaultLimits.maxDocumentBytes,
    example: "4194304",
  },

  PIPEWRIGHT_API_KEYS: {
    group: "Access",
    meaning:
      "Keys of the organisation, of 16 characters or more: a comma list, or file: and the path of a file with one key a line; by default no key is valid.",
    example: "file:/run/secrets/api-keys",
    secret: true,
  },
  PIPEWRIGHT_ADMIN_KEYS: {
    group: "Access",
    meaning: "Keys for the admin API that may also change durable runs, in the form of PIPEWRIGHT_API_KEYS.",
    example: "file:/run/secrets/admin-keys",
    secret: true,
  },
  PIPEWRIGHT_ADMIN_BIND: {
    group: "Access",
    meaning: "Address and port of the admin API, or off; it is served when there is a key.",
    preset: "127.0.0.1:4112",
    example: "off",
  },
  PIPEWRIGHT_ADMIN_HOSTS: {
    group: "Access",
    meaning: "Comma list of names by which the admin API is called, besides addresses and localhost.",
    example: "admin.shop.example",
  },
  PIPEWRIGHT_QUERY_KEYS: {
    group: "Access",
    meaning: "With `off` keys in the query of an address are refused.",
    preset: "on",
    example: "off",
  },
  PIPEWRIGHT_CORS_ORIGINS: {
    group: "Access",
    meaning: "Comma list of origins whose pages may read answers, or *; without it CORS is off.",
    example: "https://app.example",
  },
  PIPEWRIGHT_GEO_MMDB: {
    group: "Access",
    meaning: "MMDB file of countries for network policies and `a|ip::country|`.",
    example: "/var/lib/geo/country.mmdb",
  },
  PIPEWRIGHT_ASN_MMDB: {
    group: "Access",
    meaning: "MMDB file of autonomous systems for network policies and `a|ip::asn|`.",
    example: "/var/lib/geo/asn.mmdb",
  },

  PIPEWRIGHT_ALLOW_COMMANDS: {
    group: "Outgoing",
    meaning: "Set to `true` to allow `command` actions, `command` secrets and `file_path`.",
    preset: "false",
    example: "true",
  },
  PIPEWRIGHT_ALLOW_METADATA: {
    group: "Outgoing",
    meaning: "Set to `true` to let `aws`, SES and KMS use the AWS role of the container or machine.",
    preset: "false",
    example: "true",
  },
  PIPEWRIGHT_EGRESS_ALLOW: {
    group: "Outgoing",
    meaning: "Comma list of addresses and ranges that addresses from data may lead to besides public ones.",
    example: "10.1.0.0/16",
  },
  PIPEWRIGHT_EGRESS_DENY: {
    group: "Outgoing",
    meaning: "Comma list of addresses and ranges that addresses from data may not lead to.",
    example: "198.51.100.0/24",
  },

  PIPEWRIGHT_CAPTURE_MAX: {
    group: "Recording",
    meaning: "Runs that `capture` may record at most: off, errors or all.",
    preset: "all",
    example: "errors",
  },
  PIPEWRIGHT_CAPTURE_DIR: {
    group: "Recording",
    meaning: "Folder of recorded runs, where there is no database.",
    preset: ".pipewright",
    example: "/var/lib/shop/runs",
  },

  PIPEWRIGHT_WS_MAX_CONNECTIONS: {
    group: "Sockets",
    meaning: "Most WebSockets of a process; 0 serves none.",
    preset: 1_000,
    example: "200",
  },
  PIPEWRIGHT_WS_HISTORY_MAX: {
    group: "Sockets",
    meaning: "Number of messages that each channel keeps for later subscribers.",
    preset: 0,
    example: "50",
  },
  PIPEWRIGHT_WS_ORIGINS: {
    group: "Sockets",
    meaning: "Comma list of the only origins whose pages may connect; without it any may.",
    example: "https://app.example",
  },
  PIPEWRIGHT_WS_PUBLIC_CHANNELS: {
    group: "Sockets",
    meaning: "Comma list of patterns of channels that clients without credential may name.",
    preset: "#",
    example: "news:#",
  },
  PIPEWRIGHT_WS_REQUIRE_JWT: {
    group: "Sockets",
    meaning: "Shared secret, or address of a key set, by which tokens are verified before a socket opens.",
    example: "https://login.example/keys.json",
    secret: true,
  },

  PIPEWRIGHT_MQTT_BIND: { group: "MQTT", meaning: "Address and port of MQTT over TCP, or off.", preset: "off", example: "0.0.0.0:1883" },
  PIPEWRIGHT_MQTT_MAX_CONNECTIONS: {
    group: "MQTT",
    meaning: "Most MQTT clients of a process; 0 serves none.",
    preset: 1_000,
    example: "200",
  },

  PIPEWRIGHT_MCP_ORIGINS: {
    group: "Tools",
    meaning: "Comma list of origins whose pages may call tools, besides those of the same host.",
    example: "https://agent.example",
  },

  ...tracingVariables,
} as const satisfies Readonly<Record<string, VariableRecord>>;

/** The name of a variable. */
export type Variable = keyof typeof variables;
