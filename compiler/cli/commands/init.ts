import { type AddCommand, examples } from "./command.ts";

export const init: AddCommand = (root, terminal, end) => {
  root
    .command("init")
    .description("write a starter project; nothing is overwritten")
    .argument("[dir]", "its folder", ".")
    .option("--template <name>", "starter: a service; fastify: an application of yours that answers by configurations", "starter")
    .addHelpText("after", examples("init", "init shop", "init shop --template fastify"))
    .action(async (dir, options) => end((await import("../init.ts")).init(dir, options, terminal)));
};
