import { type Command, Option } from "commander";
import { flags } from "#runtime/process/settings/flags.ts";
import type { Terminal } from "../project.ts";
import { option } from "../serving-flags.ts";

/** Ends the program with the exit status of the command that ran. */
export type End = (result: number | Promise<number>) => Promise<void>;

/** Adds a command to the program: its arguments, flags and examples. The code behind it is loaded when it runs. */
export type AddCommand = (root: Command, terminal: Terminal, end: End) => void;

/** The examples below the help of a command, without the name of the program. */
export const examples = (...lines: readonly string[]): string =>
  `\nExample${lines.length === 1 ? "" : "s"}:\n${lines.map((line) => `  pipewright ${line}`).join("\n")}`;

/** The option `--format` with these words; the first is the default. */
export const format = (preset: string, ...others: readonly string[]): Option =>
  new Option("--format <format>", "how to print").choices([preset, ...others]).default(preset);

/** The names that `--deny` takes. */
const deniable = ["jq-fallback"] as const;

export const deny = (): Option => new Option("--deny <what>", "end with an error for this").choices([...deniable]);

/** The default environments of commands. */
export const presets = {
  usual: "PIPEWRIGHT_ENV, else development where there is a file of it, else production",
  dev: "PIPEWRIGHT_ENV, else development",
  tests: "PIPEWRIGHT_ENV, else test where there is a file of it, else development",
} as const;

/** The option `--env`, with a text for its default; a command that requires the option passes no `preset`. */
export function environment(preset?: string): Option {
  const flag = option("env");
  if (preset !== undefined) flag.description += ` (${preset})`;
  return flag;
}

/** Adds the flags of the commands that serve. */
export function serving(command: Command, address: string = flags.address.preset, preset: string = presets.usual): Command {
  return command
    .argument("<path...>", "configuration files or folders")
    .addOption(environment(preset))
    .addOption(option("address", address))
    .addOption(option("port", flags.port.preset))
    .addOption(option("vars"))
    .addOption(option("master-key-file"))
    .addOption(option("dotenv"))
    .addOption(option("log-level"))
    .addOption(option("ephemeral"))
    .addOption(option("interpret"))
    .addOption(option("docs-title"))
    .addOption(option("docs-version"))
    .addOption(option("public-url"))
    .addOption(option("clock"))
    .addOption(option("inspect"));
}
