import type { Span } from "#runtime/plan/index.ts";

// A mark inside printed code says from which place of the YAML the code behind it comes, so that the source map can name it although it
// shares its line with other code. Marks have no width, and are taken out before a module is written. They stand between control
// characters, which printed code has nowhere else: `visible` escapes those of the user.

const [opens, closes] = ["\u0001", "\u0002"];

/** The start of a span. */
export type Place = Pick<Span, "file" | "start">;

export const markText = ({ file, start }: Place): string => `${opens}${JSON.stringify([file, start])}${closes}`;

/** A line without its marks, and where each of them stood. */
export interface UnmarkedLine {
  readonly text: string;
  readonly marks: readonly { readonly column: number; readonly at: Place }[];
}

export function unmarkedLine(line: string): UnmarkedLine {
  const [before = "", ...pieces] = line.split(opens);
  let text = before;
  const marks = pieces.map((piece) => {
    const end = piece.indexOf(closes);
    const [file, start]: [string, number] = JSON.parse(piece.slice(0, end));
    const column = text.length;
    text += piece.slice(end + 1);
    return { column, at: { file, start } };
  });
  return { text, marks };
}

/** Code as a reader sees it. */
export const unmarked = (text: string): string => (text.includes(opens) ? unmarkedLine(text).text : text);

/** Columns of code that has no line break. */
export const widthOf = (text: string): number => unmarked(text).length;
