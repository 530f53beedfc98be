import { Command, CommanderError, Option } from "commander";
import { flags } from "#runtime/process/settings/flags.ts";
import { visible } from "#runtime/value/visible.ts";
import { PathError } from "../1-read/files.ts";
import { LinkFailure } from "../7-link/failure.ts";
import { ownPackage } from "../7-link/root.ts";
import { check } from "./check.ts";
import type { End } from "./end.ts";
import { explain } from "./explain.ts";
import { defaultTemplate, templateList } from "./init/templates.ts";
import { deniable, status, type Terminal } from "./project.ts";
import { routes } from "./routes.ts";
import { runs } from "./runs-commands.ts";
import { schema } from "./schema.ts";
import { option } from "./serving-flags.ts";
import { terminalOf } from "./terminal.ts";
import { variables } from "./vars-commands.ts";

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
  try {
    await program(terminal, end).parseAsync([...args], { from: "user" });
    return code;
  } catch (thrown) {
    return ending(thrown, terminal);
  }
}

/** Compatibility level of the configuration format (spec/command-line 1). */
const engine = "1.7.0";

/** `--version` alone is text; Commander ends there and looks at no other flag. */
const asksForVersionAsJson = (args: readonly string[]): boolean =>
  args.includes("--version") && /^--format[ =]json$/.test(args.filter((each) => each !== "--version").join(" "));

const examples = (...lines: readonly string[]): string =>
  `\nExample${lines.length === 1 ? "" : "s"}:\n${lines.map((line) => `  pipewright ${line}`).join("\n")}`;

function program(terminal: Terminal, end: End): Command {
  const { version } = ownPackage();
  const root = new Command("pipewright")
    .description("Compiles YAML service configurations into typed TypeScript and executables.")
    .version(version, "--version", "print the version; with --format json also the level of the configuration format")
    .exitOverride()
    .configureOutput({
      writeOut: terminal.out,
      writeErr: terminal.err,
      outputError: (text, write) => write(text.replace(/^error: /, "pipewright: ")),
    })
    .showSuggestionAfterError()
    .showHelpAfterError("Try --help.")
    .addHelpText("after", examples("init shop", "check api/", "dev api/", "serve api/ --port 8080", "build api/ --env staging"));
  const format = (...words: string[]): Option => new Option("--format <format>", "how to print").choices(words).default("text");
  const deny = (): Option => new Option("--deny <what>", "let it fail").choices([...deniable]);
  const environment = (): Option => option("env");

  root
    .command("check")
    .description("report every diagnostic of the configs")
    .argument("<path...>", "configuration files or folders")
    .addOption(environment())
    .addOption(format("text", "json", "github", "sarif"))
    .option("--strict", "let warnings fail")
    .option("--types", "type-check the printed modules, too")
    .addOption(deny())
    .addHelpText("after", examples("check api/", "check api/ --env staging --strict", "check api/ --format sarif > report.sarif"))
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
    .addOption(option("docs-title"))
    .addOption(option("docs-version"))
    .addOption(option("public-url"))
    .option("--quiet", "no progress")
    .addHelpText("after", examples("generate api/", "generate api/ --out src/generated --check"))
    .action(async (paths, options) => end((await import("./generate.ts")).generate(paths, options, terminal)));
  root
    .command("build")
    .description("bundle, and one executable per target")
    .argument("<path...>", "configuration files or folders")
    .addOption(environment().makeOptionMandatory())
    .option("--out <dir>", "folder of the output; replaced as a whole", "dist")
    .option("--target <list>", "comma list of linux-x64, linux-arm64, win-x64")
    .option("--no-executable", "bundle only")
    .addOption(option("docs-title"))
    .addOption(option("docs-version"))
    .addOption(option("public-url"))
    .addOption(deny())
    .option("--quiet", "no progress")
    .addHelpText(
      "after",
      examples(
        "build api/ --env staging",
        "build api/ --env production --target linux-x64,linux-arm64 --out out",
        "build api/ --env staging --no-executable",
      ),
    )
    .action(async (paths, options) => end((await import("./build.ts")).build(paths, options, terminal)));
  serving(root.command("serve").description("compile in memory and serve"), environment())
    .addOption(option("workers"))
    .addOption(option("keep-going"))
    .addHelpText(
      "after",
      examples(
        "serve api/",
        "serve api/ --env staging --vars local.yaml --port 8080",
        "serve api/ --workers auto",
        "serve api/ --keep-going",
      ),
    )
    .action(async (paths, options) => end((await import("./serve.ts")).serve(paths, options, terminal)));
  serving(root.command("dev").description("serve on this machine, and what is saved at once"), environment(), "127.0.0.1")
    .addHelpText("after", examples("dev api/", "dev api/ --port 8080"))
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
    .option("--quiet", "do not say which environment is used")
    .addOption(environment())
    .addOption(option("vars"))
    .addOption(option("master-key-file"))
    .addOption(option("dotenv"))
    .addHelpText(
      "after",
      examples(
        "run orders/import api/ --body @orders.json --dotenv .env",
        "run greet api/ --param name=Ada --header accept-language=en",
        "run orders/create api/ --force --body - < order.json",
      ),
    )
    .action(async (name, paths, options) => end((await import("./run.ts")).run(name, paths, options, terminal)));
  root
    .command("routes")
    .description("table of triggers")
    .argument("<path...>", "configuration files or folders")
    .addOption(format("text", "json"))
    .option("--env <name>", "environment that is named in the addresses of sockets and in topics")
    .addHelpText("after", examples("routes api/", "routes api/ --env staging", "routes api/ --format json"))
    .action((paths, options) => end(routes(paths, options, terminal)));
  root
    .command("schema")
    .description("print the JSON Schema of configurations, for editors")
    .option("--out <file>", "write it to a file")
    .option("--modules", "the schema of files below modules/")
    .addHelpText("after", examples("schema --out schema.json", "schema --modules --out module.schema.json"))
    .action((options) => end(schema(options, terminal)));
  root
    .command("explain")
    .description("explain a diagnostic, or a code in the log of a service")
    .argument("<code>", "such as PW301")
    .addHelpText("after", examples("explain PW301", "explain PW904"))
    .action((code) => end(explain(code, terminal)));
  const vars = root.command("vars").description("managed variables of an environment, in vars/<environment>.yaml");
  variables(
    vars.addHelpText("after", examples("vars list --env staging", "vars set ENCRYPTED_TOKEN - --env staging < token")),
    terminal,
    end,
  );
  const recorded = root.command("runs").description("recorded runs of interfaces with capture");
  runs(recorded.addHelpText("after", examples("runs list --status 5xx --since 1h", "runs tail")), terminal, end);
  root
    .command("init")
    .description("write a starter project; nothing is overwritten")
    .argument("[dir]", "its folder", ".")
    .option("--template <name>", `what to begin with (${defaultTemplate})`)
    .option("--pipewright <spec>", "what its package.json has for pipewright, as npm install takes it; else what is installed here")
    .addHelpText("after", `\nTemplates:\n${templateList()}${examples("init", "init shop", "init shop --template postgres-crud")}`)
    .action(async (dir, options) => end((await import("./init/init.ts")).init(dir, options, terminal)));
  return root;
}

function serving(command: Command, environment: Option, address: string = flags.address.preset): Command {
  return command
    .argument("<path...>", "configuration files or folders")
    .addOption(environment)
    .addOption(option("address", address))
    .addOption(option("port", flags.port.preset))
    .addOption(option("vars"))
    .addOption(option("master-key-file"))
    .addOption(option("dotenv"))
    .addOption(option("log-level"))
    .addOption(option("interpret"))
    .addOption(option("docs-title"))
    .addOption(option("docs-version"))
    .addOption(option("public-url"))
    .addOption(option("clock"));
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
  // The linked copy of the runtime has classes of its own.
  if (error.name === "Unmet") {
    terminal.err(visible(`pipewright: ${error.message}\n`));
    return status.unmet;
  }
  terminal.err(visible(`pipewright: this is a bug of pipewright, please report it with this text:\n${error.stack ?? error.message}\n`));
  return status.bug;
}
