/** The pattern of a text in which `*` stands for any text. */
export function wildcard(text: string): RegExp {
  return new RegExp(
    `^${text
      .split("*")
      .map((part) => part.replace(/[\\^$.|?+()[\]{}/-]/g, "\\$&"))
      .join("[^]*")}$`,
  );
}

/** A text in the form in which texts are compared: blanks and line ends do not count, nor does a last semicolon. */
export const oneLine = (text: string): string => text.replace(/\s+/g, " ").replace(/;\s*$/, "").trim();
