import { Command, CommanderError } from "commander";
import { visible } from "#runtime/value/visible.ts";
import { PathError } from "../1-read/path-error.ts";
import { refusal } from "../1-read/refusal.ts";
import { LinkFailure } from "../7-link/failure.ts";
import { ownPackage } from "../7-link/root.ts";
import { commands as otherCommands } from "../other-tools/commands.ts";
import { audit } from "./commands/audit.ts";
import { build } from "./commands/build.ts";
import { check } from "./commands/check.ts";
import { type AddCommand, type End, examples } from "./commands/command.ts";
import { dev } from "./commands/dev.ts";
import { diff } from "./commands/diff.ts";
import { explain } from "./commands/explain.ts";
import { generate } from "./commands/generate.ts";
import { init } from "./commands/init.ts";
import { lsp } from "./commands/lsp.ts";
import { routes } from "./commands/routes.ts";
import { run } from "./commands/run.ts";
import { runs } from "./commands/runs.ts";
import { schema } from "./commands/schema.ts";
import { serve } from "./commands/serve.ts";
import { test } from "./commands/test.ts";
import { vars } from "./commands/vars.ts";
import { verify } from "./commands/verify.ts";
import { helpItem, leastWidth, usualWidth } from "./help.ts";
import { sayOtherNode } from "./other-node.ts";
import type { Terminal } from "./project.ts";
import { status } from "./status.ts";
import { terminalOf } from "./terminal.ts";

/** The `pipewright` command: gives an exit status (spec/command-line 4) and never throws. */
export async function main(args: readonly string[], terminal: Terminal = terminalOf(process)): Promise<number> {
  let code: number = status.done;
  const end = async (result: number | Promise<number>): Promise<void> => {
    code = await result;
  };
  if (asksForVersionAsJson(args)) {
    terminal.out(`${JSON.stringify({ version: ownPackage().version, engine })}\n`);
    return status.done;
  }
  sayOtherNode(args, terminal);
  try {
    await program(terminal, end).parseAsync([...args], { from: "user" });
    return code;
  } catch (thrown) {
    return ending(thrown, terminal);
  }
}

/** Compatibility level of the configuration format (spec/command-line 1). */
const engine = "1.7.0";

/** True for `--version` with `--format json`. Commander handles only `--version` alone: it prints text and reads no other flag. */
const asksForVersionAsJson = (args: readonly string[]): boolean =>
  args.includes("--version") && /^--format[ =]json$/.test(args.filter((each) => each !== "--version").join(" "));

/** The commands in the order of the help. */
const commands: readonly AddCommand[] = [
  check,
  generate,
  build,
  serve,
  dev,
  run,
  test,
  verify,
  routes,
  diff,
  audit,
  schema,
  lsp,
  explain,
  vars,
  runs,
  init,
];

function program(terminal: Terminal, end: End): Command {
  const { version } = ownPackage();
  const root = new Command("pipewright")
    .description("Compiles YAML service configurations into typed TypeScript and executables.")
    .version(version, "--version", "print the version; with --format json also the level of the configuration format")
    .exitOverride()
    .configureOutput({
      writeOut: terminal.out,
      writeErr: terminal.err,
      outputError: (text, write) => write(visible(text.replace(/^error: /, "pipewright: "))),
      getOutHelpWidth: () => terminal.columns ?? usualWidth,
      getErrHelpWidth: () => terminal.columns ?? usualWidth,
    })
    .configureHelp({ minWidthToWrap: leastWidth, formatItem: helpItem })
    .showSuggestionAfterError()
    .showHelpAfterError("Try --help.")
    .addHelpText("after", examples("init shop", "check api/", "dev api/", "serve api/ --port 8080", "build api/ --env staging"));
  for (const add of commands) add(root, terminal, end);
  addOtherWords(root);
  return root;
}

/** Adds a hidden command for each word of another tool, which says what the command is called here. */
function addOtherWords(root: Command): void {
  for (const [word, meant] of otherCommands)
    root
      .command(word, { hidden: true })
      .helpOption(false)
      .allowUnknownOption()
      .allowExcessArguments()
      .action(() => root.error(`error: unknown command '${word}'\n(Did you mean ${meant}?)`));
}

function ending(thrown: unknown, terminal: Terminal): number {
  if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? status.done : status.usage;
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  if (thrown instanceof PathError || error.name === "UsageError") {
    terminal.err(visible(`pipewright: ${error.message}\n`));
    return status.usage;
  }
  if (thrown instanceof LinkFailure) {
    terminal.err(visible(`pipewright: ${error.message}\n${thrown.hint}\n`));
    return status.failed;
  }
  // The linked copy of the runtime has its own classes, so the error is recognized by name.
  if (error.name === "Unmet" || error.name === "Unusable") {
    terminal.err(visible(`pipewright: ${error.message}\n`));
    return status.unmet;
  }
  const reason = refusal(thrown);
  if (reason !== undefined) {
    const { path = "the disk" } = error as NodeJS.ErrnoException; // only the system throws this error
    terminal.err(visible(`pipewright: ${path}: ${reason}\n`));
    return status.usage;
  }
  terminal.err(visible(`pipewright: this is a bug of pipewright, please report it with this text:\n${error.stack ?? error.message}\n`));
  return status.bug;
}
