import { wordsFor } from "./words.ts";

const filters = wordsFor({
  upper: "uppercase upcase toupper touppercase to_upper",
  lower: "lowercase downcase tolower tolowercase to_lower",
  tojson: "to_json stringify",
  to_number: "toint to_int parseint tonumber",
  jq: "trim strip split replace substring capitalize round floor ceil unique",
});

/** The filter of markers that a word of another tool means; `jq` where only a filter of jq does it. */
export const filterFor = (word: string): string | undefined => filters.get(word.toLowerCase());
