import { type AddCommand, environment, examples, format, presets } from "./command.ts";

export const verify: AddCommand = (root, terminal, end) => {
  root
    .command("verify")
    .description("prove that printed modules and the interpreter do the same, on tests, examples and generated requests")
    .argument("<path...>", "configuration files or folders")
    .addOption(environment(presets.tests))
    .option("--filter <text>", "only interfaces and tests with this text in their name or file")
    .option("--runs <number>", "generated requests for each interface", "50")
    .option("--seed <number>", "repeat the requests of an earlier run, by the seed that it printed")
    .option("--time <seconds>", "end after about this many seconds, with fewer requests")
    .addOption(format("text", "json", "junit"))
    .option("--out <file>", "write the report to a file")
    .option("--quiet", "no progress")
    .addHelpText(
      "after",
      examples(
        "verify api/",
        "verify api/ --runs 1000 --time 60",
        "verify api/ --filter orders --seed 20260412",
        "verify api/ --format junit --out verify.xml",
      ),
    )
    .action(async (paths, options) => end((await import("../verify.ts")).verify(paths, options, terminal)));
};
