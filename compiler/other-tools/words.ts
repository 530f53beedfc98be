import { InternalError } from "../diagnostics/diagnostic.ts";

// This folder has the words and forms of other tools, with a file for each kind of place where an author may write them. It only says
// what they mean here; a check of the place itself reports them. A word that is nearly a word of ours needs no line: it is a misspelt one.

/** Words of other tools for one kind of place. Each leads to its meaning here: a name of ours, or a hint. */
export type Words = ReadonlyMap<string, string>;

/** The words of a table. Each of its lines is a meaning, and all words for it with blanks between them. */
export function wordsFor(lines: Readonly<Record<string, string>>): Words {
  const words = new Map<string, string>();
  for (const [meaning, line] of Object.entries(lines))
    for (const word of line.split(" ")) {
      if (words.has(word)) throw new InternalError(`'${word}' has two meanings: ${words.get(word)}; ${meaning}`);
      words.set(word, meaning);
    }
  return words;
}
