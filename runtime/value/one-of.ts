import { Reject } from "./failure.ts";
import { show } from "./show.ts";

/**
 * One of the words that a field allows; null, from an unset marker, means the usual word. The value of a marker is checked here just as the
 * schema checks a written one (PW114).
 */
export function oneOf<Word extends string>(field: string, word: string | null | undefined, words: readonly Word[], usual: Word): Word {
  if (word === null || word === undefined) return usual;
  const match = words.find((one) => one === word);
  if (match === undefined) throw new Reject("PW114", `'${field}': expected one of ${words.join(", ")}, got '${show(word)}'`);
  return match;
}
