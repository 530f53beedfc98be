import { Option } from "commander";
import { type FlagRecord, flags } from "#runtime/process/settings/flags.ts";

/** Flags of the commands that serve. An executable does not have them, because their values are fixed when it is built. */
export const commandFlags = {
  env: { type: "string", value: "NAME", meaning: "environment whose managed variables are used" },
  "keep-going": { type: "boolean", meaning: "serve the configurations that have no errors; by default one error stops all" },
  ephemeral: {
    type: "boolean",
    meaning: "keep the state in memory when no database is named, not in .pipewright/state.db beside the configurations",
  },
  interpret: { type: "boolean", meaning: "interpret every interface instead of running its compiled module" },
  "docs-title": { type: "string", value: "TITLE", meaning: "title of the API document, by default the name of the configuration" },
  "docs-version": {
    type: "string",
    value: "VERSION",
    meaning: "version of the API document, by default that of the configuration, else 0.0.0",
  },
  "public-url": { type: "string", multiple: true, value: "URL", meaning: "addresses of the service in the API document" },
  "enforce-manifest": {
    type: "string",
    value: "FILE",
    optional: true,
    meaning:
      "refuse at run time what this manifest does not list; without FILE, what the configurations did not list when they were compiled",
  },
  inspect: {
    type: "string",
    value: "PORT",
    optional: true,
    meaning: "let a debugger attach on this machine and stop on lines of the YAML (127.0.0.1:9229)",
  },
  clock: { type: "string", value: "TIME", meaning: "stop the run clock at this time, for tests" },
} as const satisfies Readonly<Record<string, CommandFlag>>;

interface CommandFlag extends FlagRecord {
  /** True for a flag whose value may be left out. */
  readonly optional?: true;
}

/**
 * The option of a command, with the texts of the flag. `preset` is a default of the command. Other defaults are only shown, since a
 * variable of the environment may set another value.
 */
export function option(name: keyof typeof commandFlags | keyof typeof flags, preset?: string): Option {
  const record: CommandFlag = { ...flags, ...commandFlags }[name];
  const value = record.value === undefined ? "" : ` ${placeholder(record.value.toLowerCase(), record)}`;
  const presetNote = preset === undefined && record.preset !== undefined ? ` (${record.preset})` : "";
  const option = new Option(`--${name}${value}`, `${record.meaning}${presetNote}`);
  if (record.multiple === true) return repeatable(option);
  return preset === undefined ? option : option.default(preset);
}

const placeholder = (value: string, { optional }: CommandFlag): string => (optional === true ? `[${value}]` : `<${value}>`);

/** An option that may be given several times, with one value each, so that a path behind it stays a path. */
export function repeatable(option: Option): Option {
  if (!option.description.includes("may be repeated")) option.description += "; may be repeated";
  return option.argParser((value: string, before: readonly string[] = []) => [...before, value]);
}
