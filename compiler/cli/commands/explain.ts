import { Option } from "commander";
import { type AddCommand, examples } from "./command.ts";

export const explain: AddCommand = (root, terminal, end) => {
  root
    .command("explain")
    .description("explain an interface, a diagnostic, or a code in the log of a service")
    .argument("<what>", "name of an interface, or a code such as PW301")
    .argument("[path...]", "configuration files or folders of the interface")
    .addOption(new Option("--graph <form>", "the actions as a graph").choices(["mermaid"]))
    .addOption(new Option("--phase <name>", "what a phase makes of it: its plan as JSON, or the printed module").choices(["plan", "print"]))
    .option("--no-code", "without the printed code beside the YAML")
    .addHelpText(
      "after",
      examples("explain PW301", "explain PW904", "explain orders/create api/", "explain orders/create api/ --graph mermaid"),
    )
    .action(async (what, paths, options) => {
      if (paths.length === 0) return end((await import("../explain.ts")).explain(what, terminal));
      return end((await import("../explain-interface.ts")).explainInterface(what, paths, options, terminal));
    });
};
