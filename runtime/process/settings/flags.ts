/** A flag of a serving process. `parseArgs` uses `type`, `short` and `multiple`; the other fields are for help and reference. */
export interface FlagRecord {
  readonly type: "string" | "boolean";
  readonly short?: string;
  readonly multiple?: true;
  /** The word for its value in help; absent for a flag without a value. */
  readonly value?: string;
  readonly meaning: string;
  readonly preset?: string;
}

/** Flags of an executable. `serve` has all but the last three. */
export const flags = {
  address: { type: "string", value: "ADDRESS", meaning: "address to listen on", preset: "0.0.0.0" },
  port: { type: "string", value: "PORT", meaning: "port to listen on, 0 for any free one", preset: "4111" },
  vars: {
    type: "string",
    multiple: true,
    value: "FILE",
    meaning: "managed variables: a YAML map of names to values; may be repeated, a later file wins",
  },
  "master-key-file": {
    type: "string",
    value: "FILE",
    meaning: "key that opens sealed variables: Base64 of 32 bytes (PIPEWRIGHT_MASTER_KEY)",
  },
  dotenv: { type: "string", value: "FILE", meaning: "file of environment variables; those that are set already win" },
  workers: { type: "string", value: "N", meaning: "processes that share the port: a number, or auto for one per processor", preset: "1" },
  "log-level": {
    type: "string",
    value: "LEVEL",
    meaning: "lowest level that is logged: trace, debug, info, warn, error or critical",
    preset: "info",
  },
  "enforce-manifest": {
    type: "string",
    value: "FILE",
    meaning: "refuse what this manifest does not list, in place of the built-in one; only for builds with --enforce-manifest",
  },
  env: { type: "string", value: "NAME", meaning: "environment; an executable refuses to start unless it was built for it" },
  healthcheck: {
    type: "boolean",
    meaning: "ask the process that serves at this address and port; ends with 0 when it answers, else with 1",
  },
  version: { type: "boolean", meaning: "print the version" },
  help: { type: "boolean", short: "h", meaning: "print this text" },
} as const satisfies Readonly<Record<string, FlagRecord>>;

/** The flags as a text of help lists them. */
export const flagLines = (records: Readonly<Record<string, FlagRecord>>): string =>
  Object.entries(records)
    .map(([name, { value, meaning, preset }]) => {
      const head = `  --${name}${value === undefined ? "" : ` ${value}`}`;
      return `${head.length > 19 ? `${head}\n`.padEnd(head.length + 22) : head.padEnd(21)}${meaning}${preset === undefined ? "" : ` (${preset})`}\n`;
    })
    .join("");
