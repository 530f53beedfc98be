import { status } from "../project.ts";
import { type AddCommand, deny, environment, examples, format } from "./command.ts";

export const check: AddCommand = (root, terminal, end) => {
  root
    .command("check")
    .description("report every diagnostic of the configs")
    .argument("<path...>", "configuration files or folders")
    .addOption(environment())
    .addOption(format("text", "json", "github", "sarif"))
    .option("--strict", "let warnings fail")
    .option("--types", "type-check the printed modules, too")
    .addOption(deny())
    .addHelpText("after", examples("check api/", "check api/ --env staging --strict", "check api/ --format sarif > report.sarif"))
    .action(async (paths, options) => {
      const result = (await import("../check.ts")).check(paths, options, terminal);
      if (result !== status.done || options.types !== true) return end(result);
      const { checkTypes } = await import("../types.ts");
      return end(checkTypes(paths, terminal));
    });
};
