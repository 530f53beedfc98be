import { option } from "../serving-flags.ts";
import { status } from "../status.ts";
import { type AddCommand, deny, environment, examples, format, presets } from "./command.ts";

export const check: AddCommand = (root, terminal, end) => {
  root
    .command("check")
    .description("report every diagnostic of the configs")
    .argument("<path...>", "configuration files or folders")
    .addOption(environment(presets.usual))
    .addOption(format("text", "json", "github", "sarif"))
    .option("--strict", "let warnings fail")
    .option("--database", "ask the servers of the databases about queries, without running them")
    .addOption(option("vars"))
    .addOption(option("master-key-file"))
    .addOption(option("dotenv"))
    .option("--types", "type-check the printed modules, too")
    .addOption(deny())
    .addHelpText(
      "after",
      examples(
        "check api/",
        "check api/ --env staging --strict",
        "check api/ --env staging --vars staging.yaml",
        "check api/ --database",
        "check api/ --format sarif > report.sarif",
      ),
    )
    .action(async (paths, options) => {
      const { check, readVariableFiles } = await import("../check.ts");
      const variables = await readVariableFiles(options, terminal);
      const described =
        options.database === true
          ? await (await import("../check-database.ts")).describe(paths, { ...options, piped: variables }, terminal)
          : undefined;
      const result = check(paths, options, terminal, { described, variables });
      if (result !== status.done || options.types !== true) return end(result);
      const { checkTypes } = await import("../types.ts");
      return end(checkTypes(paths, terminal));
    });
};
