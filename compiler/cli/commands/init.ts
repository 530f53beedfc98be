import { defaultTemplate, templateList } from "../init/templates.ts";
import { type AddCommand, examples } from "./command.ts";

export const init: AddCommand = (root, terminal, end) => {
  root
    .command("init")
    .description("write a starter project; nothing is overwritten")
    .argument("[dir]", "its folder", ".")
    .option("--template <name>", `what to begin with (${defaultTemplate})`)
    .option("--pipewright <spec>", "pipewright in its package.json, as npm install takes it; by default the installed one")
    .addHelpText("after", `\nTemplates:\n${templateList()}${examples("init", "init shop", "init shop --template webhook")}`)
    .action(async (dir, options) => end((await import("../init/init.ts")).init(dir, options, terminal)));
};
