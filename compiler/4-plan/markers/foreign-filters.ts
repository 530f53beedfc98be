/** Words of other tools for a filter, by the filter of ours; those of jq have no filter here. */
const words: Readonly<Record<string, string>> = {
  upper: "uppercase upcase toupper touppercase to_upper",
  lower: "lowercase downcase tolower tolowercase to_lower",
  tojson: "to_json stringify",
  to_number: "toint to_int parseint tonumber",
  jq: "trim strip split replace substring capitalize round floor ceil unique",
};

const filters = new Map(Object.entries(words).flatMap(([filter, list]) => list.split(" ").map((word) => [word, filter] as const)));

/** The filter that a word of another tool means here; `jq` where a filter of jq does it. */
export const foreignFilter = (word: string): string | undefined => filters.get(word.toLowerCase());
