import { type AddCommand, examples } from "./command.ts";

export const schema: AddCommand = (root, terminal, end) => {
  root
    .command("schema")
    .description("print the JSON Schema of configurations, for editors")
    .option("--out <file>", "write it to a file")
    .option("--modules", "the schema of files below modules/")
    .addHelpText("after", examples("schema --out schema.json", "schema --modules --out module.schema.json"))
    .action(async (options) => end((await import("../schema.ts")).schema(options, terminal)));
};
