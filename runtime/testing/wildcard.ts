/** A text as a pattern in which `*` stands for any text. */
export function wildcard(text: string): RegExp {
  return new RegExp(
    `^${text
      .split("*")
      .map((part) => part.replace(/[\\^$.|?+()[\]{}/-]/g, "\\$&"))
      .join("[^]*")}$`,
  );
}

/** A text as it is compared: blanks and line ends do not count, nor does a last semicolon. */
export const oneLine = (text: string): string => text.replace(/\s+/g, " ").replace(/;\s*$/, "").trim();
