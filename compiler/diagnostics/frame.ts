import { visibleLine } from "#runtime/value/visible.ts";
import type { Diagnostic } from "./diagnostic.ts";
import type { LineTable, Sources } from "./position.ts";

export interface FrameOptions {
  readonly color?: boolean;
  /** The width of the terminal, in which no line of a frame should wrap. */
  readonly columns?: number | undefined;
}

/** The number of lines shown above the line of the mistake. */
const context = 2;
/** The most columns of source text that are shown; a longer line is cut around the place. */
const widest = 120;
/** The columns around that text, for the line number, a bar, and a mark at each cut end. */
const around = 9;

/**
 * One diagnostic as text: `<file>:<line>:<col>: error PW301: message`, the lines around the place with carets below it, and the hint. Text
 * of the user's file is shown with control and direction characters escaped, so that it cannot disguise itself on a terminal.
 */
export function renderFrame(diagnostic: Diagnostic, sources: Sources, { color = false, columns }: FrameOptions = {}): string {
  const paint = color ? ansi : plain;
  const { at, severity, code, message, hint, related = [] } = diagnostic;
  const lines = sources.lines(at.file);
  const { line, column } = lines.at(at.start);
  const out = [
    `${paint.bold(`${visible(at.file)}:${line}:${column}:`)} ${paint[severity](`${severity} ${code}`)}${paint.bold(`: ${visible(message)}`)}`,
    ...frame(diagnostic, lines, paint, columns),
  ];
  for (const { at: place, message: text } of related) {
    const other = sources.lines(place.file).at(place.start);
    out.push(`  ${paint.dim("note:")} ${visible(place.file)}:${other.line}:${other.column}: ${visible(text)}`);
  }
  if (hint !== undefined) out.push(`  ${paint.hint("hint:")} ${visible(hint)}`);
  return `${out.join("\n")}\n`;
}

/** The lines around the place of a diagnostic with carets below it, without colours; empty when there are none to show. */
export const codeFrame = (diagnostic: Diagnostic, sources: Sources): string =>
  frame(diagnostic, sources.lines(diagnostic.at.file), plain).join("\n");

/** All diagnostics with blank lines between them, and a last line with their number. Empty without diagnostics. */
export function renderFrames(diagnostics: readonly Diagnostic[], sources: Sources, options: FrameOptions = {}): string {
  if (diagnostics.length === 0) return "";
  const frames = diagnostics.map((diagnostic) => `${renderFrame(diagnostic, sources, options)}\n`).join("");
  return `${frames}${summary(diagnostics)}\n`;
}

/** The number of diagnostics in words: `2 errors, 1 warning`. */
export function summary(diagnostics: readonly Diagnostic[]): string {
  const count = (severity: string, word: string): string[] => {
    const total = diagnostics.filter((diagnostic) => diagnostic.severity === severity).length;
    return total === 0 ? [] : [`${total} ${word}${total === 1 ? "" : "s"}`];
  };
  return [...count("error", "error"), ...count("warning", "warning"), ...count("note", "note")].join(", ");
}

function frame({ at, severity }: Diagnostic, lines: LineTable, paint: Paint, room = Number.POSITIVE_INFINITY): string[] {
  const width = Math.min(widest, Math.max(30, room - around));
  const start = lines.at(at.start);
  const end = lines.at(Math.max(at.end, at.start));
  const text = lines.line(start.line);
  if (text === "" && start.line === 1) return [];
  const gutter = Math.max(4, String(start.line).length + 2);
  const out: string[] = [];
  for (let line = Math.max(1, start.line - context); line < start.line; line++) {
    out.push(`${paint.dim(`${String(line).padStart(gutter)} |`)} ${cut(visible(lines.line(line)), 0, width).shown}`.trimEnd());
  }
  const before = visible(text.slice(0, start.column - 1));
  const to = end.line > start.line ? text.length : end.column - 1;
  const marked = visible(text.slice(start.column - 1, to).trimEnd());
  const { shown, offset } = cut(visible(text), columns(before), width);
  const most = Math.max(1, columns(shown) - (columns(before) - offset));
  const carets = "^".repeat(Math.max(1, Math.min(columns(marked), most)));
  const label = `>${String(start.line).padStart(gutter - 1)} |`;
  out.push(`${paint[severity](label)} ${shown}`);
  out.push(`${paint.dim(`${" ".repeat(gutter)} |`)} ${" ".repeat(Math.max(0, columns(before) - offset))}${paint[severity](carets)}`);
  return out;
}

/** The part of a long line that shows the place; `offset` is the number of columns that were cut off on the left. */
function cut(text: string, column: number, width: number): { readonly shown: string; readonly offset: number } {
  const characters = [...text];
  if (characters.length <= width) return { shown: text, offset: 0 };
  const from = column < (width * 5) / 6 ? 0 : column - Math.floor(width / 3);
  const shown = characters.slice(from, from + width).join("");
  const right = from + width < characters.length ? "…" : "";
  return from === 0 ? { shown: shown + right, offset: 0 } : { shown: `…${shown}${right}`, offset: from - 1 };
}

const columns = (text: string): number => [...text].length;

/** The line with spaces for tabs, and escapes for invisible characters. */
const visible = (text: string): string => visibleLine(text.replaceAll("\t", "  "));

type Paint = Readonly<Record<"bold" | "dim" | "hint" | "error" | "warning" | "note", (text: string) => string>>;

const same = (text: string): string => text;
const plain: Paint = { bold: same, dim: same, hint: same, error: same, warning: same, note: same };

const painted =
  (on: number, off: number) =>
  (text: string): string =>
    `\u001b[${on}m${text}\u001b[${off}m`;
const ansi: Paint = {
  bold: painted(1, 22),
  dim: painted(2, 22),
  hint: painted(36, 39),
  error: painted(31, 39),
  warning: painted(33, 39),
  note: painted(34, 39),
};
