/**
 * Splits a command line without a shell into words. Blanks separate words; single quotes keep all characters; in double quotes and outside
 * of quotes, `\` keeps the next character. Variables and patterns are not expanded. Undefined when a quote is not closed.
 */
export function commandWords(line: string): string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (let i = 0; i < line.length; i++) {
    const c = line[i] ?? "";
    if (quote === "'" ? c === "'" : quote === '"' && c === '"') quote = "";
    else if (c === "\\" && quote !== "'" && i + 1 < line.length) word = (word ?? "") + line[++i];
    else if (quote !== "") word = (word ?? "") + c;
    else if (c === "'" || c === '"') {
      quote = c;
      word ??= "";
    } else if (/\s/.test(c)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? "") + c;
  }
  if (quote !== "") return undefined;
  return word === undefined ? words : [...words, word];
}
