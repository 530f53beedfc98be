import { type AddCommand, examples } from "./command.ts";

export const lsp: AddCommand = (root, _, end) => {
  root
    .command("lsp")
    .description("language server, started by an editor (settings of editors: docs/editors.md of the repository)")
    .option("--stdio", "no effect: some editors pass it")
    .addHelpText("after", examples("lsp"))
    .action(async () => end((await import("../lsp.ts")).lsp()));
};
