import { Option } from "commander";
import { type AddCommand, environment, examples, format, presets } from "./command.ts";

export const test: AddCommand = (root, terminal, end) => {
  root
    .command("test")
    .description("run the contract tests beside the configs, and their examples")
    .argument("<path...>", "configuration files or folders")
    .addOption(environment(presets.tests))
    .option("--filter <text>", "only tests with this text in their name, file or interface")
    .addOption(format("text", "json", "junit"))
    .option("--out <file>", "write the report to a file")
    .option("--update", "replace what the tests expect by what came")
    .option("--watch", "run them again whenever a file has changed")
    .addOption(
      new Option("--coverage [format]", "what the tests reach: in the report, or in coverage/ as lcov or html")
        .choices(["text", "lcov", "html"])
        .preset("text"),
    )
    .option("--min <percent>", "fail when fewer percent of the configs are covered")
    .option("--quiet", "no progress")
    .addHelpText(
      "after",
      examples(
        "test api/",
        "test api/ --watch --filter orders",
        "test api/ --update",
        "test api/ --coverage=html --min 90",
        "test api/ --format junit --out report.xml",
      ),
    )
    .action(async (paths, options) => end((await import("../test.ts")).test(paths, options, terminal)));
};
