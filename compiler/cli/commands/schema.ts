import { Option } from "commander";
import { type AddCommand, examples } from "./command.ts";

export const schema: AddCommand = (root, terminal, end) => {
  root
    .command("schema")
    .description("print the JSON Schema of configurations, for editors")
    .option("--out <file>", "write it to a file")
    .addOption(new Option("--modules", "the schema of files below modules/").conflicts("tests"))
    .option("--tests", "the schema of files of contract tests, *.test.yaml")
    .addHelpText("after", examples("schema --out schema.json", "schema --modules --out module.schema.json", "schema --tests"))
    .action(async (options) => end((await import("../schema.ts")).schema(options, terminal)));
};
