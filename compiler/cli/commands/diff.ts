import { type AddCommand, examples, format, presets } from "./command.ts";

export const diff: AddCommand = (root, terminal, end) => {
  root
    .command("diff")
    .description("say what a change of a configuration means: what is opened, loosened, reached or broken")
    .argument("<old>", "a file, a folder, a manifest.json of a build, or REVISION:PATH of git")
    .argument("<new>", "the same")
    .addOption(format("text", "json", "markdown", "github"))
    .option("--fail-on <list>", "end with 2 only for these: comma list of loosened, breaking, reaches, changed, tightened, note")
    .option("--runs", "also list durable runs of the database that the new version could not continue")
    .option("--env <name>", `environment of the runs (${presets.usual})`)
    .option("--dotenv <file>", "read the address of the database from a file, too")
    .addHelpText(
      "after",
      examples(
        "diff HEAD~1:api api",
        "diff main:api api --format markdown --fail-on loosened,breaking",
        "diff main:api api --runs --env production --dotenv production.env",
        "diff dist/manifest.json next/manifest.json",
      ),
    )
    .action(async (before, after, options) => end(await (await import("../diff.ts")).diff(before, after, options, terminal)));
};
