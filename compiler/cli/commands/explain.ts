import { type AddCommand, examples } from "./command.ts";

export const explain: AddCommand = (root, terminal, end) => {
  root
    .command("explain")
    .description("explain a diagnostic, or a code in the log of a service")
    .argument("<code>", "such as PW301")
    .addHelpText("after", examples("explain PW301", "explain PW904"))
    .action(async (code) => end((await import("../explain.ts")).explain(code, terminal)));
};
