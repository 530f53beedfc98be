import { option } from "../serving-flags.ts";
import { type AddCommand, environment, examples, presets } from "./command.ts";

export const generate: AddCommand = (root, terminal, end) => {
  root
    .command("generate")
    .description("write the typed TypeScript modules")
    .argument("<path...>", "configuration files or folders")
    .option("--out <dir>", "folder of the modules", "generated")
    .option("--client <file>", "write a typed client of the HTTP interfaces, too: one file that imports nothing")
    .addOption(environment(presets.usual))
    .option("--check", "write nothing; end with 2 when a file on disk differs")
    .addOption(option("docs-title"))
    .addOption(option("docs-version"))
    .addOption(option("public-url"))
    .option("--quiet", "no progress")
    .addHelpText("after", examples("generate api/", "generate api/ --out src/generated --check", "generate api/ --client web/src/api.ts"))
    .action(async (paths, options) => end((await import("../generate.ts")).generate(paths, options, terminal)));
};
