import { option } from "../serving-flags.ts";
import { type AddCommand, examples, serving } from "./command.ts";

export const serve: AddCommand = (root, terminal, end) => {
  serving(root.command("serve").description("compile in memory and serve"))
    .addOption(option("workers"))
    .addOption(option("keep-going"))
    .addOption(option("enforce-manifest"))
    .addHelpText(
      "after",
      examples(
        "serve api/",
        "serve api/ --env staging --vars local.yaml --port 8080",
        "serve api/ --workers auto",
        "serve api/ --keep-going",
        "serve api/ --enforce-manifest reviewed/manifest.json",
      ),
    )
    .action(async (paths, options) => end((await import("../serve.ts")).serve(paths, options, terminal)));
};
