import { type AddCommand, examples } from "./command.ts";

export const lsp: AddCommand = (root, _, end) => {
  root
    .command("lsp")
    .description(
      "serve an editor, which starts it, by the Language Server Protocol (settings of editors: docs/editors.md of the repository)",
    )
    .option("--stdio", "as it always does: some editors write it")
    .addHelpText("after", examples("lsp"))
    .action(async () => end((await import("../lsp.ts")).lsp()));
};
