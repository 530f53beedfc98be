import { option } from "../serving-flags.ts";
import { type AddCommand, deny, environment, examples } from "./command.ts";

export const build: AddCommand = (root, terminal, end) => {
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
    .action(async (paths, options) => end((await import("../build.ts")).build(paths, options, terminal)));
};
