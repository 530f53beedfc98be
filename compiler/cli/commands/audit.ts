import { type AddCommand, examples, format } from "./command.ts";

export const audit: AddCommand = (root, terminal, end) => {
  root
    .command("audit")
    .description("list by severity what is valid but risky")
    .argument("<path...>", "configuration files or folders")
    .addOption(format("text", "json", "sarif", "markdown"))
    .option("--fail-on <severity>", "end with 1 for findings of this severity or higher: high, medium, low", "high")
    .addHelpText("after", examples("audit api/", "audit api/ --fail-on medium", "audit api/ --format sarif > audit.sarif"))
    .action(async (paths, options) => end((await import("../audit.ts")).audit(paths, options, terminal)));
};
