import { type Command, Option } from "commander";
import { UsageError } from "#runtime/process/settings/usage-error.ts";
import type { Terminal } from "../project.ts";
import { type AddCommand, type End, examples, presets } from "./command.ts";

export const runs: AddCommand = (root, terminal, end) => {
  const parent = root.command("runs").description("recorded runs of interfaces with capture, and durable runs");
  const command = parent.addHelpText("after", examples("runs list --status 5xx --since 1h", "runs tail", "runs list --stuck"));
  for (const add of [addList, addShow, addResume, addCancel, addRetry, addTail, addExport]) add({ command, terminal, end });
};

/** The place to which the commands of `runs` are added. */
interface Place {
  readonly command: Command;
  readonly terminal: Terminal;
  readonly end: End;
}

/** A command that reads the runs of an environment; `lines` are its examples. */
const reading = ({ command }: Place, usage: string, description: string, ...lines: readonly string[]): Command =>
  command
    .command(usage)
    .description(description)
    .option("--env <name>", `environment of the runs (${presets.usual})`)
    .option("--dir <dir>", "folder in which the service runs, with its .pipewright", ".")
    .option("--dotenv <file>", "environment variables from a file, such as PIPEWRIGHT_DATABASE_URL")
    .option("--json", "print JSON")
    .addHelpText("after", `${examples(...lines.map((line) => `runs ${line}`))}\n`);

const filtered = (command: Command): Command =>
  command
    .option("--config <name>", "of this configuration")
    .option("--interface <name>", "of this interface")
    .option("--trigger <name>", "begun by http, schedule, ws, mqtt, mcp, authorizer, cli, on_error")
    .option("--status <status>", "with this status: 404, or a class such as 4xx")
    .option("--since <time>", "started then or later: 2026-07-01T12:00:00Z, or 1h for an hour ago");

const filteredUntil = (command: Command): Command => filtered(command).option("--until <time>", "started before");

function addList(place: Place): void {
  const lines = ["list --status 5xx --since 1h", "list --interface orders --limit 500 --json", "list --waiting --dotenv production.env"];
  filteredUntil(reading(place, "list", "the newest runs", ...lines))
    .option("--durable", "durable runs in place of recorded ones, with --config, --interface, --limit and --cursor")
    .option("--waiting", "durable runs that wait for a callback")
    .option("--stuck", "durable runs that have been due for a minute, and no process continues")
    .option("--limit <number>", "how many, 50 by default")
    .option("--cursor <next>", "go on after the page that gave this cursor")
    .action(async (flags) => {
      if (flags.durable === undefined && flags.waiting === undefined && flags.stuck === undefined)
        return place.end((await import("../runs/runs.ts")).listRuns(flags, place.terminal));
      const foreign = ["trigger", "status", "since", "until"].find((name) => flags[name] !== undefined);
      if (foreign !== undefined) throw new UsageError(`--${foreign} chooses recorded runs, not durable ones`);
      return place.end((await import("../runs/durable.ts")).listDurable(flags, place.terminal));
    });
}

function addShow(place: Place): void {
  reading(
    place,
    "show <uuid>",
    "one run: its request, its actions, its data; of a durable run its settled actions, waits and result",
    "show 3f0b8f0e-5e0d-4f0a-9d3c-2f1a5b6c7d8e",
  ).action(async (uuid, flags) => place.end((await import("../runs/runs.ts")).showRun(uuid, flags, place.terminal)));
}

/** The UUID of a durable run, for examples. */
const id = "00000000-0000-4000-8000-000000000001";

function addResume(place: Place): void {
  const lines = [`resume ${id} --body '{"approved": true}'`, `resume ${id} --action Approval --body @answer.json`];
  reading(place, "resume <uuid>", "continue a durable run that waits, as if its callback had come", ...lines)
    .option("--action <name>", "the action that waits, where several do")
    .option("--body <json>", "body of the callback: JSON, or @FILE; null by default")
    .action(async (uuid, flags) => place.end((await import("../runs/durable.ts")).resumeDurable(uuid, flags, place.terminal)));
}

function addCancel(place: Place): void {
  reading(place, "cancel <uuid>", "end a durable run: nothing more of it is stored", `cancel ${id}`).action(async (uuid, flags) =>
    place.end((await import("../runs/durable.ts")).cancelDurable(uuid, flags, place.terminal)),
  );
}

function addRetry(place: Place): void {
  reading(
    place,
    "retry <uuid>",
    "continue a failed or cancelled durable run: actions that failed or were skipped run again",
    `retry ${id} --dotenv production.env`,
  ).action(async (uuid, flags) => place.end((await import("../runs/durable.ts")).retryDurable(uuid, flags, place.terminal)));
}

function addTail(place: Place): void {
  filtered(reading(place, "tail", "the newest runs, then each as it ends, until Ctrl-C", "tail", "tail --status 5xx --json"))
    .option("--limit <number>", "how many runs it begins with, 10 by default")
    .action(async (flags) => place.end((await import("../runs/tail.ts")).tailRuns(flags, place.terminal)));
}

function addExport(place: Place): void {
  const lines = [
    ...["export --since 24h --out runs.ndjson", "export --status 5xx | jq .errors"],
    "export 3f0b8f0e-5e0d-4f0a-9d3c-2f1a5b6c7d8e --as test --out orders.test.yaml",
  ];
  filteredUntil(reading(place, "export [uuid]", "whole records as JSON, one a line; or one run as a contract test", ...lines))
    .option("--out <file>", "a new file in place of standard output")
    .addOption(new Option("--as <form>", "form of the run with this uuid").choices(["test"]))
    .action(async (uuid, flags) => {
      const { exportRuns, exportTest } = await import("../runs/export.ts");
      if ((uuid === undefined) !== (flags.as === undefined))
        throw new UsageError("runs export takes a uuid and --as test together, or neither");
      return place.end(uuid === undefined ? exportRuns(flags, place.terminal) : exportTest(uuid, flags, place.terminal));
    });
}
