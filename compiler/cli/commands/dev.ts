import { type AddCommand, examples, presets, serving } from "./command.ts";

export const dev: AddCommand = (root, terminal, end) => {
  serving(root.command("dev").description("serve on this machine, and reload at every save"), "127.0.0.1", presets.dev)
    .addHelpText("after", examples("dev api/", "dev api/ --port 8080", "dev api/ --inspect"))
    .action(async (paths, options) => end((await import("../dev.ts")).dev(paths, options, terminal)));
};
