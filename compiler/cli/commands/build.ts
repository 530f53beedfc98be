import { Option } from "commander";
import { option, repeatable } from "../serving-flags.ts";
import { type AddCommand, deny, environment, examples, format } from "./command.ts";

export const build: AddCommand = (root, terminal, end) => {
  root
    .command("build")
    .description("build a bundle, and one executable per target")
    .argument("<path...>", "configuration files or folders")
    .addOption(environment().makeOptionMandatory())
    .option("--out <dir>", "folder of the output; replaced as a whole", "dist")
    .option("--target <list>", "comma list of linux-x64, linux-arm64, win-x64")
    .addOption(repeatable(new Option("--node <file>", "a Node executable for a target that npm has none for, such as macOS")))
    .option("--no-executable", "bundle only")
    .addOption(option("enforce-manifest"))
    .addOption(option("docs-title"))
    .addOption(option("docs-version"))
    .addOption(option("public-url"))
    .option("--console", "include the console: its page, the YAML and the printed modules, shown with an API key of the organisation")
    .addOption(deny())
    .option("--why", "say which parts of the runtime are inside, and what in the configs needs each")
    .addOption(format("text", "json"))
    .option("--quiet", "no progress")
    .addHelpText(
      "after",
      examples(
        "build api/ --env staging",
        "build api/ --env production --target linux-x64,linux-arm64 --out out",
        "build api/ --env staging --no-executable",
        "build api/ --env staging --no-executable --why",
        "build api/ --env staging --console",
        "build api/ --env production --node node-v24.21.0-darwin-arm64/bin/node",
        "build api/ --env production --enforce-manifest reviewed/manifest.json",
      ),
    )
    .action(async (paths, options) => {
      // The bundle is begun before the compiler is loaded, since the loading takes longer than compiling a small project.
      const { beginBundle } = await import("../../7-link/begun-bundle.ts");
      using begun = await beginBundle(options.env);
      const { build: run } = await import("../build.ts");
      await begun.reads;
      await end(run(paths, options, terminal, begun));
    });
};
