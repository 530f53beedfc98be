import { visibleLine } from "#runtime/value/visible.ts";

/** Characters that are markup in Markdown, in HTML or in a cell of a table. */
const signs = /[\\`*_[\]<>|#!~]/g;

/**
 * A text as Markdown shows it, in one line. Text between two single backticks stays code. If backticks do not pair in this way, Markdown
 * might end the code elsewhere; then they are escaped like other characters.
 */
export function inMarkdown(text: string): string {
  const line = visibleLine(text);
  const parts = line.split("`");
  const pairs = parts.length % 2 === 1 && !line.includes("``");
  if (!pairs) return line.replace(signs, "\\$&");
  return parts.map((part, i) => (i % 2 === 1 ? `\`${part}\`` : part.replace(signs, "\\$&"))).join("");
}

/** Escapes a text for a cell of a table, which a bar ends even in code. */
export const inCell = (text: string): string => inMarkdown(text).replace(/(?<!\\)\|/g, "\\|");
