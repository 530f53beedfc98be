import { Reject } from "./failure.ts";
import { show } from "./show.ts";

/**
 * One of a field's words; null, from an unset marker, means the usual one. What a marker gives is checked here as the schema checks what is
 * written (PW114).
 */
export function oneOf<Word extends string>(field: string, word: string | null | undefined, words: readonly Word[], usual: Word): Word {
  if (word === null || word === undefined) return usual;
  const match = words.find((one) => one === word);
  if (match === undefined) throw new Reject("PW114", `'${field}': expected one of ${words.join(", ")}, got '${show(word)}'`);
  return match;
}
