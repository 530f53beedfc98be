import { type Command, Option } from "commander";
import type { Terminal } from "../project.ts";
import { type AddCommand, type End, examples } from "./command.ts";

export const vars: AddCommand = (root, terminal, end) => {
  const parent = root.command("vars").description("managed variables of an environment, in vars/<environment>.yaml");
  commandsOf(
    parent.addHelpText("after", examples("vars list --env staging", "vars set ENCRYPTED_TOKEN - --env staging < token")),
    terminal,
    end,
  );
};

function commandsOf(vars: Command, terminal: Terminal, end: End): void {
  const command = (usage: string, description: string, example: string): Command =>
    vars
      .command(usage)
      .description(description)
      .requiredOption("--env <name>", "environment; base for what all environments share")
      .option("--dir <dir>", "folder of the configurations", ".")
      .addHelpText("after", `\nExample:\n  ${example}`);
  const keyed = (command: Command): Command =>
    command.option("--master-key-file <file>", "key that seals: Base64 of 32 bytes (PIPEWRIGHT_MASTER_KEY)");
  command("list", "names of the variables; nothing is decrypted", "pipewright vars list --env staging")
    .addOption(new Option("--format <format>", "how to print").choices(["text", "json"]).default("text"))
    .action(async (flags) => end((await import("../vars.ts")).listVariables(flags, terminal)));
  keyed(command("get <name>", "print a value", "pipewright vars get ENCRYPTED_TOKEN --env staging --reveal"))
    .option("--reveal", "print a sealed one, too")
    .action(async (name, flags) => end((await import("../vars.ts")).getVariable(name, flags, terminal)));
  keyed(
    command(
      "set <name> <value>",
      "set a value: a text, @file, or - for standard input; sealed when the name begins with ENCRYPTED_ or the old value is",
      "pass show stripe | pipewright vars set ENCRYPTED_STRIPE - --env staging",
    ),
  )
    .option("--seal", "seal the value")
    .option("--plain", "do not seal it")
    .option("--json", "the value is JSON: a number, a list, a map")
    .action(async (name, value, flags) => end((await import("../vars.ts")).setVariable(name, value, flags, terminal)));
  command("rm <name>", "remove a variable", "pipewright vars rm OLD_TOKEN --env staging").action(async (name, flags) =>
    end((await import("../vars.ts")).removeVariable(name, flags, terminal)),
  );
  keyed(
    command(
      "rotate",
      "seal the data key with a new master key; the values stay as they are",
      "pipewright vars rotate --env staging --master-key-file old.key --new-master-key-file new.key",
    ),
  )
    .option("--new-master-key-file <file>", "the new key (PIPEWRIGHT_NEW_MASTER_KEY)")
    .action(async (flags) => end((await import("../vars.ts")).rotateKey(flags, terminal)));
}
