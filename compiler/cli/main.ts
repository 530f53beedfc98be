import { realpathSync } from "node:fs";
import { Command, CommanderError, Option } from "commander";
import { PathError } from "../1-read/files.ts";
import { LinkFailure } from "../6-link/failure.ts";
import { ownPackage } from "../6-link/root.ts";
import { check } from "./check.ts";
import { explain } from "./explain.ts";
import { deniable, status, type Terminal } from "./project.ts";
import { routes } from "./routes.ts";
import { schema } from "./schema.ts";

/** The `pipewright` command: gives the exit status of command-line.md and never throws. */
export async function main(args: readonly string[], terminal: Terminal = processTerminal()): Promise<number> {
  let code: number = status.done;
  const end = async (result: number | Promise<number>): Promise<void> => {
    code = await result;
  };
  try {
    await program(terminal, end).parseAsync([...args], { from: "user" });
    return code;
  } catch (thrown) {
    return ending(thrown, terminal);
  }
}

type End = (result: number | Promise<number>) => Promise<void>;

function program(terminal: Terminal, end: End): Command {
  const { version } = ownPackage();
  const root = new Command("pipewright")
    .description("Compiles YAML service configurations into typed TypeScript and executables.")
    .version(version, "--version", "print the version")
    .exitOverride()
    .configureOutput({ writeOut: terminal.out, writeErr: terminal.err })
    .showSuggestionAfterError()
    .addHelpText(
      "after",
      "\nExamples:\n  pipewright init shop\n  pipewright check api/\n  pipewright dev api/\n  pipewright serve api/ --port 8080\n  pipewright build api/ --env staging",
    );
  const format = (...words: string[]): Option => new Option("--format <format>", "how to print").choices(words).default("text");
  const deny = (): Option => new Option("--deny <what>", "let it fail").choices([...deniable]);
  const environment = (): Option => new Option("--env <name>", "environment whose managed variables are used");

  root
    .command("check")
    .description("report every diagnostic of the configs")
    .argument("<path...>", "configuration files or folders")
    .addOption(environment())
    .addOption(format("text", "json", "github", "sarif"))
    .option("--strict", "let warnings fail")
    .option("--types", "type-check the printed modules, too")
    .addOption(deny())
    .action(async (paths, options) => {
      const found = check(paths, options, terminal);
      if (found !== status.done || options.types !== true) return end(found);
      const { checkTypes } = await import("./types.ts");
      return end(checkTypes(paths, terminal));
    });
  root
    .command("generate")
    .description("write the typed TypeScript modules")
    .argument("<path...>", "configuration files or folders")
    .option("--out <dir>", "folder of the modules", "generated")
    .addOption(environment())
    .option("--check", "write nothing; end with 2 when a file on disk differs")
    .addOption(docsTitle())
    .addOption(docsVersion())
    .addOption(publicUrl())
    .option("--quiet", "no progress")
    .action(async (paths, options) => end((await import("./generate.ts")).generate(paths, options, terminal)));
  root
    .command("build")
    .description("bundle, and one executable per target")
    .argument("<path...>", "configuration files or folders")
    .addOption(environment().makeOptionMandatory())
    .option("--out <dir>", "folder of the output; replaced as a whole", "dist")
    .option("--target <list>", "comma list of linux-x64, linux-arm64, win-x64")
    .option("--no-executable", "bundle only")
    .addOption(docsTitle())
    .addOption(docsVersion())
    .addOption(publicUrl())
    .addOption(deny())
    .option("--quiet", "no progress")
    .action(async (paths, options) => end((await import("./build.ts")).build(paths, options, terminal)));
  serving(root.command("serve").description("compile in memory and serve"), environment())
    .option("--workers <n>", "processes that share the port: a number, or auto for one a processor")
    .addHelpText("after", "\nExamples:\n  pipewright serve api/\n  pipewright serve api/ --env staging --vars local.yaml --port 8080")
    .action(async (paths, options) => end((await import("./serve.ts")).serve(paths, options, terminal)));
  serving(root.command("dev").description("serve on this machine, and what is saved at once"), environment(), "127.0.0.1")
    .addHelpText("after", "\nExample:\n  pipewright dev api/ --port 8080")
    .action(async (paths, options) => end((await import("./dev.ts")).dev(paths, options, terminal)));
  root
    .command("run")
    .description("run one interface and print its answer")
    .argument("<interface>", "its name")
    .argument("<path...>", "configuration files or folders")
    .option("--body <json>", "body: JSON, @file, or - for standard input")
    .option("--param <k=v...>", "query or route parameters")
    .option("--header <k=v...>", "request headers")
    .option("--raw", "the body as it is, not indented")
    .option("--force", "run an interface that answers over HTTP, too")
    .addOption(environment())
    .option("--vars <file...>", "YAML maps of managed variables; a later one wins")
    .option("--master-key-file <file>", "key that opens sealed variables")
    .option("--dotenv <file>", "environment variables from a file")
    .action(async (name, paths, options) => end((await import("./run.ts")).run(name, paths, options, terminal)));
  root
    .command("routes")
    .description("table of triggers")
    .argument("<path...>", "configuration files or folders")
    .addOption(format("text", "json"))
    .action((paths, options) => end(routes(paths, options, terminal)));
  root
    .command("schema")
    .description("print the JSON Schema of configurations, for editors")
    .option("--out <file>", "write it to a file")
    .action((options) => end(schema(options, terminal)));
  root
    .command("explain")
    .description("explain a diagnostic")
    .argument("<code>", "such as PW301")
    .action((code) => end(explain(code, terminal)));
  variables(root.command("vars").description("managed variables of an environment, in vars/<environment>.yaml"), terminal, end);
  runs(root.command("runs").description("recorded runs of interfaces with capture"), terminal, end);
  root
    .command("init")
    .description("write a starter project; nothing is overwritten")
    .argument("[dir]", "its folder", ".")
    .option("--template <name>", "which starter", "starter")
    .action(async (dir, options) => end((await import("./init.ts")).init(dir, options, terminal)));
  return root;
}

function variables(vars: Command, terminal: Terminal, end: End): void {
  const command = (usage: string, description: string, example: string): Command =>
    vars
      .command(usage)
      .description(description)
      .requiredOption("--env <name>", "environment; base for what all environments share")
      .option("--dir <dir>", "folder of the configurations", ".")
      .addHelpText("after", `\nExample:\n  ${example}`);
  const keyed = (made: Command): Command =>
    made.option("--master-key-file <file>", "key that seals: Base64 of 32 bytes (PIPEWRIGHT_MASTER_KEY)");
  command("list", "names of the variables; nothing is decrypted", "pipewright vars list --env staging")
    .addOption(new Option("--format <format>", "how to print").choices(["text", "json"]).default("text"))
    .action(async (flags) => end((await import("./vars.ts")).listVariables(flags, terminal)));
  keyed(command("get <name>", "print a value", "pipewright vars get ENCRYPTED_TOKEN --env staging --reveal"))
    .option("--reveal", "print a sealed one, too")
    .action(async (name, flags) => end((await import("./vars.ts")).getVariable(name, flags, terminal)));
  keyed(
    command(
      "set <name> <value>",
      "set a value: a text, @file, or - for standard input; sealed when the name begins with ENCRYPTED_ or the value was",
      "pass show stripe | pipewright vars set ENCRYPTED_STRIPE - --env staging",
    ),
  )
    .option("--seal", "seal the value")
    .option("--plain", "do not seal it")
    .option("--json", "the value is JSON: a number, a list, a map")
    .action(async (name, value, flags) => end((await import("./vars.ts")).setVariable(name, value, flags, terminal)));
  command("rm <name>", "remove a variable", "pipewright vars rm OLD_TOKEN --env staging").action(async (name, flags) =>
    end((await import("./vars.ts")).removeVariable(name, flags, terminal)),
  );
  keyed(
    command(
      "rotate",
      "seal the data key with a new master key; the values stay as they are",
      "pipewright vars rotate --env staging --master-key-file old.key --new-master-key-file new.key",
    ),
  )
    .option("--new-master-key-file <file>", "the new key (PIPEWRIGHT_NEW_MASTER_KEY)")
    .action(async (flags) => end((await import("./vars.ts")).rotateKey(flags, terminal)));
}

function runs(command: Command, terminal: Terminal, end: End): void {
  const reading = (usage: string, description: string, ...examples: readonly string[]): Command =>
    command
      .command(usage)
      .description(description)
      .option("--env <name>", "environment of the runs (PIPEWRIGHT_ENV, else production)")
      .option("--dir <dir>", "folder in which the service runs, with its .pipewright", ".")
      .option("--dotenv <file>", "environment variables from a file, such as PIPEWRIGHT_DATABASE_URL")
      .option("--json", "print JSON")
      .addHelpText("after", `\nExamples:\n${examples.map((example) => `  pipewright runs ${example}\n`).join("")}`);
  const chosen = (made: Command): Command =>
    made
      .option("--config <name>", "of this configuration")
      .option("--interface <name>", "of this interface")
      .option("--trigger <name>", "begun by http, schedule, ws, mqtt, authorizer, cli, on_error")
      .option("--status <status>", "with this status: 404, or a class such as 4xx")
      .option("--since <time>", "started then or later: 2026-07-01T12:00:00Z, or 1h for an hour ago")
      .option("--until <time>", "started before");
  chosen(reading("list", "the newest runs", "list --status 5xx --since 1h", "list --interface orders --limit 500 --json"))
    .option("--limit <number>", "how many, 50 by default")
    .option("--cursor <next>", "go on where a page has ended")
    .action(async (flags) => end((await import("./runs.ts")).listRuns(flags, terminal)));
  reading("show <uuid>", "one run: its request, its actions, its data", "show 3f0b8f0e-5e0d-4f0a-9d3c-2f1a5b6c7d8e").action(
    async (uuid, flags) => end((await import("./runs.ts")).showRun(uuid, flags, terminal)),
  );
}

function serving(command: Command, environment: Option, address = "0.0.0.0"): Command {
  return command
    .argument("<path...>", "configuration files or folders")
    .addOption(environment)
    .option("--address <address>", "address to listen on", address)
    .option("--port <port>", "port to listen on", "4111")
    .option("--vars <file...>", "YAML maps of managed variables; a later one wins")
    .option("--master-key-file <file>", "key that opens sealed variables")
    .option("--dotenv <file>", "environment variables from a file")
    .option("--log-level <level>", "trace, debug, info, warn, error or critical")
    .option("--interpret", "walk every interface instead of running its compiled module")
    .addOption(docsTitle())
    .addOption(docsVersion())
    .addOption(publicUrl())
    .option("--clock <time>", "stop the run clock at this time, for tests");
}

// What the API document says of itself.
const docsTitle = (): Option => new Option("--docs-title <title>", "title of the API document");
const docsVersion = (): Option =>
  new Option("--docs-version <version>", "version of the API document, by default a hash of what it describes");
const publicUrl = (): Option => new Option("--public-url <url...>", "addresses of the service in the API document");

function ending(thrown: unknown, terminal: Terminal): number {
  if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? status.done : status.usage;
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  if (thrown instanceof PathError || error.name === "UsageError") {
    terminal.err(`pipewright: ${error.message}\n`);
    return status.usage;
  }
  if (thrown instanceof LinkFailure) {
    terminal.err(`pipewright: ${error.message}\n${thrown.hint}\n`);
    return status.failed;
  }
  // The linked copy of the runtime has classes of its own.
  if (error.name === "Unmet") {
    terminal.err(`pipewright: ${error.message}\n`);
    return status.unmet;
  }
  terminal.err(`pipewright: this is a bug of pipewright, please report it with this text:\n${error.stack ?? error.message}\n`);
  return status.bug;
}

function processTerminal(): Terminal {
  return {
    cwd: realpathSync(process.cwd()),
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
    isTerminal: process.stdout.isTTY === true && process.env.NO_COLOR === undefined,
    env: process.env,
  };
}
