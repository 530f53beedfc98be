import { Option } from "commander";
import { option, repeatable } from "../serving-flags.ts";
import { type AddCommand, environment, examples, presets } from "./command.ts";

export const run: AddCommand = (root, terminal, end) => {
  root
    .command("run")
    .description("run one interface and print its answer")
    .argument("<interface>", "its name")
    .argument("<path...>", "configuration files or folders")
    .option("--body <json>", "body: JSON, @file, or - for standard input")
    .addOption(repeatable(new Option("--param <k=v>", "query or route parameter")))
    .addOption(repeatable(new Option("--header <k=v>", "request header")))
    .option("--raw", "the body as it is, not indented")
    .option("--force", "run an interface that answers over HTTP, too")
    .option("--quiet", "do not say which environment is used")
    .addOption(environment(presets.usual))
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
    .action(async (name, paths, options) => end((await import("../run.ts")).run(name, paths, options, terminal)));
};
