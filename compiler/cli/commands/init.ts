import { defaultTemplate, templateList } from "../init/templates.ts";
import { type AddCommand, examples } from "./command.ts";

export const init: AddCommand = (root, terminal, end) => {
  root
    .command("init")
    .description("write a starter project; nothing is overwritten")
    .argument("[dir]", "its folder", ".")
    .option("--template <name>", `what to begin with (${defaultTemplate})`)
    .option("--pipewright <spec>", "what its package.json has for pipewright, as npm install takes it; else what is installed here")
    .addHelpText("after", `\nTemplates:\n${templateList()}${examples("init", "init shop", "init shop --template webhook")}`)
    .action(async (dir, options) => end((await import("../init/init.ts")).init(dir, options, terminal)));
};
