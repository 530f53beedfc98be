import { type Command, Option } from "commander";
import { UsageError } from "#runtime/process/settings/options.ts";
import type { Terminal } from "../project.ts";
import { type AddCommand, type End, examples } from "./command.ts";

export const runs: AddCommand = (root, terminal, end) => {
  const parent = root.command("runs").description("recorded runs of interfaces with capture");
  commandsOf(parent.addHelpText("after", examples("runs list --status 5xx --since 1h", "runs tail")), terminal, end);
};

function commandsOf(command: Command, terminal: Terminal, end: End): void {
  const reading = (usage: string, description: string, ...lines: readonly string[]): Command =>
    command
      .command(usage)
      .description(description)
      .option("--env <name>", "environment of the runs (PIPEWRIGHT_ENV, else production)")
      .option("--dir <dir>", "folder in which the service runs, with its .pipewright", ".")
      .option("--dotenv <file>", "environment variables from a file, such as PIPEWRIGHT_DATABASE_URL")
      .option("--json", "print JSON")
      .addHelpText("after", `${examples(...lines.map((line) => `runs ${line}`))}\n`);
  const filters = (command: Command): Command =>
    command
      .option("--config <name>", "of this configuration")
      .option("--interface <name>", "of this interface")
      .option("--trigger <name>", "begun by http, schedule, ws, mqtt, mcp, authorizer, cli, on_error")
      .option("--status <status>", "with this status: 404, or a class such as 4xx")
      .option("--since <time>", "started then or later: 2026-07-01T12:00:00Z, or 1h for an hour ago");
  const until = (command: Command): Command => filters(command).option("--until <time>", "started before");
  until(reading("list", "the newest runs", "list --status 5xx --since 1h", "list --interface orders --limit 500 --json"))
    .option("--limit <number>", "how many, 50 by default")
    .option("--cursor <next>", "go on where a page has ended")
    .action(async (flags) => end((await import("../runs.ts")).listRuns(flags, terminal)));
  reading("show <uuid>", "one run: its request, its actions, its data", "show 3f0b8f0e-5e0d-4f0a-9d3c-2f1a5b6c7d8e").action(
    async (uuid, flags) => end((await import("../runs.ts")).showRun(uuid, flags, terminal)),
  );
  filters(reading("tail", "the newest runs, then each as it ends, until Ctrl-C", "tail", "tail --status 5xx --json"))
    .option("--limit <number>", "how many there are to begin with, 10 by default")
    .action(async (flags) => end((await import("../runs-tail.ts")).tailRuns(flags, terminal)));
  until(
    reading(
      "export [uuid]",
      "whole records as JSON, one a line; or one run as a contract test",
      ...["export --since 24h --out runs.ndjson", "export --status 5xx | jq .errors"],
      "export 3f0b8f0e-5e0d-4f0a-9d3c-2f1a5b6c7d8e --as test --out orders.test.yaml",
    ),
  )
    .option("--out <file>", "a new file in place of standard output")
    .addOption(new Option("--as <form>", "form of the run with this uuid").choices(["test"]))
    .action(async (uuid, flags) => {
      const { exportRuns, exportTest } = await import("../runs-export.ts");
      if ((uuid === undefined) !== (flags.as === undefined))
        throw new UsageError("runs export takes a uuid and --as test together, or neither");
      return end(uuid === undefined ? exportRuns(flags, terminal) : exportTest(uuid, flags, terminal));
    });
}
