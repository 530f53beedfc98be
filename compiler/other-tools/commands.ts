import { type Words, wordsFor } from "./words.ts";

/** Words for commands. */
export const commands: Words = wordsFor({
  check: "lint validate",
  build: "compile bundle package",
  serve: "start up",
  dev: "watch",
  run: "invoke exec call",
  init: "new create",
  vars: "secret secrets env variables",
  explain: "describe",
  generate: "gen print",
});
