import type { Span } from "#runtime/plan/index.ts";

// A mark inside printed code says from which place of the YAML the code behind it comes, so that the source map can name it although it
// shares its line with other code. Marks have no width, and are taken out before a module is written. They stand between control
// characters, which printed code has nowhere else: `visible` escapes those of the user.

const [opens, closes] = ["\u0001", "\u0002"];

/** The start of a span. */
export type Place = Pick<Span, "file" | "start">;

export const markText = ({ file, start }: Place): string => `${opens}${JSON.stringify([file, start])}${closes}`;

/** Ends what the last mark has begun: the code behind it comes from where the code before that mark came from. */
export const endOfMark = `${opens}null${closes}`;

/** A line without its marks, and where each of them stood; the code behind one without a place comes from the place of the line. */
export interface UnmarkedLine {
  readonly text: string;
  readonly marks: readonly { readonly column: number; readonly at: Place | undefined }[];
}

export function unmarkedLine(line: string): UnmarkedLine {
  if (!line.includes(opens)) return { text: line, marks: [] };
  const [before = "", ...pieces] = line.split(opens);
  let text = before;
  const around: Place[] = [];
  const marks = pieces.map((piece) => {
    const end = piece.indexOf(closes);
    const place: [string, number] | null = JSON.parse(piece.slice(0, end));
    if (place === null) around.pop();
    else around.push({ file: place[0], start: place[1] });
    const column = text.length;
    text += piece.slice(end + 1);
    return { column, at: around.at(-1) };
  });
  return { text, marks };
}

/** Code as a reader sees it. */
export const unmarked = (text: string): string => unmarkedLine(text).text;

/** Columns of code that has no line break. */
export const widthOf = (text: string): number => unmarked(text).length;
