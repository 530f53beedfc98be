import { wordsFor } from "./words.ts";

const filters = wordsFor({
  upper: "uppercase upcase toupper touppercase to_upper",
  lower: "lowercase downcase tolower tolowercase to_lower",
  tojson: "to_json stringify",
  to_number: "toint to_int parseint tonumber",
  jq: "trim strip split replace substring capitalize round floor ceil unique",
});

/** Words that are also usual keys of data: only with parentheses they are surely meant as filters. */
const calls = wordsFor({
  default: "or else fallback default_value coalesce ifnull",
  length: "count size len",
  jq: "jq slice truncate contains first last keys sum min max abs format date date_format",
});

/** The filter of markers that a word of another tool means; `jq` where only a filter of jq does it. */
export const filterFor = (word: string): string | undefined => filters.get(word.toLowerCase());

/** The filter that such a word means when it has parentheses. */
export const calledFilterFor = (word: string): string | undefined => filterFor(word) ?? calls.get(word.toLowerCase());
