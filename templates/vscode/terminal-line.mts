// Commands that are typed into a terminal of the editor, where the shell of the user reads them.

/** Words that a shell takes as they are, and those that its quotes hold. */
interface Shell {
  readonly plain: RegExp;
  readonly held: RegExp;
  readonly quoted: (word: string) => string;
}

/** A control character acts before a shell reads the line: Ctrl-C gives up the quotes that stand around it. */
const posix: Shell = { plain: /^[\w./:=@-]+$/, held: /^\P{Cc}*$/u, quoted: (word) => `'${word.replaceAll("'", "'\\''")}'` };

/** PowerShell and cmd have only these quotes in common, which hold few characters in both. */
const windows: Shell = { plain: /^[\w./:=@\\-]+$/, held: /^[\p{L}\p{N}_ ./:=@\\{}(),~+-]*(?<!\\)$/u, quoted: (word) => `"${word}"` };

/** The words as a line that a shell reads as these words; undefined where one of them could be read in another way. */
export function lineOf(words: readonly string[], platform: NodeJS.Platform): string | undefined {
  const { plain, held, quoted } = platform === "win32" ? windows : posix;
  if (!words.every((word) => held.test(word))) return undefined;
  return words.map((word) => (plain.test(word) ? word : quoted(word))).join(" ");
}
