/** A text as a pattern in which `*` stands for any text. */
export function wildcard(text: string): RegExp {
  return new RegExp(
    `^${text
      .split("*")
      .map((part) => part.replace(/[\\^$.|?+()[\]{}/-]/g, "\\$&"))
      .join("[^]*")}$`,
  );
}
