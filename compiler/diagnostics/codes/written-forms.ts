/** The written form of values of types, where it is not obvious. */
export const forms: Readonly<Record<string, string>> = {
  array: "a list is written [a, b], or as lines that start with '- '",
  boolean: "true or false, without quotes",
  object: "a map is written {key: value}, or as lines of 'key: value'",
  duration: "such as 30s, 5min or 1h 30min; a number counts milliseconds",
};

/** The type with an article if needed. Types are words of the language, but "duration" is an ordinary noun. */
export const withArticle = (expected: string): string => expected.replace(/^duration\b/, "a duration such as 30s");
