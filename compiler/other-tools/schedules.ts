import { wordsFor } from "./words.ts";

const nicknames = wordsFor({
  "0 0 1 1 *": "@yearly @annually",
  "0 0 1 * *": "@monthly",
  "0 0 * * 0": "@weekly",
  "0 0 * * *": "@daily @midnight",
  "0 * * * *": "@hourly",
});

/** The rule of five fields that a nickname of other schedulers stands for, such as `@daily`; undefined for any other text. */
export const cronFor = (text: string): string | undefined => nicknames.get(text.trim());
