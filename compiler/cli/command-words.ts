import type { Command } from "commander";

/** Words of other tools for commands, by the command of ours. */
const words: Readonly<Record<string, string>> = {
  check: "lint validate",
  build: "compile bundle package",
  serve: "start up",
  dev: "watch",
  run: "invoke exec call",
  init: "new create",
  vars: "secret secrets env variables",
  explain: "describe",
  generate: "gen print",
};

/** Adds a hidden command for each word of another tool, which says what the command is called here. */
export function addCommandWords(root: Command): void {
  for (const [meant, others] of Object.entries(words))
    for (const word of others.split(" "))
      root
        .command(word, { hidden: true })
        .helpOption(false)
        .allowUnknownOption()
        .allowExcessArguments()
        .action(() => root.error(`error: unknown command '${word}'\n(Did you mean ${meant}?)`));
}
