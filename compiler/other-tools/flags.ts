import { wordsFor } from "./words.ts";

const flags = wordsFor({ true: "yes y on", false: "no n off" });

/** The flag that a word of YAML 1.1 stands for, in any case. In YAML 1.2 the word is a text. */
export const flagFor = (word: string): string | undefined => flags.get(word.toLowerCase());
