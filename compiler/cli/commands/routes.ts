import { type AddCommand, examples, format } from "./command.ts";

export const routes: AddCommand = (root, terminal, end) => {
  root
    .command("routes")
    .description("list the triggers of all interfaces")
    .argument("<path...>", "configuration files or folders")
    .addOption(format("text", "json"))
    .option("--env <name>", "environment that is named in the addresses of sockets and in topics")
    .addHelpText("after", examples("routes api/", "routes api/ --env staging", "routes api/ --format json"))
    .action(async (paths, options) => end((await import("../routes.ts")).routes(paths, options, terminal)));
};
