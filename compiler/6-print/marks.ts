import type { Span } from "#runtime/plan/index.ts";

// A mark inside printed code names the place of the YAML from which the code behind it comes. So the source map can name it although the
// line has other code, too. Marks have no width, and are removed before a module is written. They stand between control characters. Other
// printed code has none, because `visible` escapes control characters of the user.

const [opens, closes] = ["\u0001", "\u0002"];

/** The start of a span. */
export type SpanStart = Pick<Span, "file" | "start">;

export const markText = ({ file, start }: SpanStart): string => `${opens}${JSON.stringify([file, start])}${closes}`;

/** The end of the last mark. The code behind it comes from the same place as the code before that mark. */
export const endOfMark = `${opens}null${closes}`;

/** A line without its marks, and the column of each mark. Code behind a mark without a place comes from the place of the line. */
export interface UnmarkedLine {
  readonly text: string;
  readonly marks: readonly { readonly column: number; readonly at: SpanStart | undefined }[];
}

export function unmarkedLine(line: string): UnmarkedLine {
  if (!line.includes(opens)) return { text: line, marks: [] };
  const [before = "", ...pieces] = line.split(opens);
  let text = before;
  const around: SpanStart[] = [];
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

/** The code without its marks. */
export const unmarked = (text: string): string => unmarkedLine(text).text;

/** The width of code without line breaks, in columns. */
export const widthOf = (text: string): number => unmarked(text).length;
