import { byDataType, type DataTypeSource } from "../../../formats/data-type.ts";
import { compile } from "../../../languages/regex.ts";
import { inSlices, type Work, type WorkOwner } from "../../../threads/slices.ts";
import { Failure } from "../../../value/failure.ts";
import { type Json, type JsonObject, put } from "../../../value/json.ts";
import { reread } from "../../../value/values.ts";

/** The form in which a line is cut into parts. */
interface Columns {
  readonly keys?: readonly (string | null)[] | null;
  readonly split_by?: string | null;
  readonly split_whitespace?: boolean | null;
}

interface LineMatch extends Columns {
  readonly regex?: string | null;
}

/** How an output is read (spec/language 5.2). Null means unset, as for every field that held a marker. */
export interface Parse extends Columns {
  readonly ignore_output?: boolean | null;
  /** The first line that is kept, from 0. */
  readonly line_start?: number | null;
  /** The first line that is not kept. */
  readonly line_end?: number | null;
  readonly split_start?: string | null;
  readonly split_end?: string | null;
  readonly data_type?: string | null;
  readonly matches?: readonly LineMatch[] | null;
  readonly delimiter?: string | null;
  readonly disable_auto_extract?: boolean | null;
}

/** Bytes as text; what is no UTF-8 is replaced. */
export const textOf = (bytes: Buffer): string => bytes.toString();

/**
 * Reads an output by its settings: the wanted lines, their format, their columns. Throws `Failure` when the output does not fit them. A
 * long output gives others their turns.
 */
export function parsed(bytes: Buffer, parse: Parse, act: WorkOwner): Json | Promise<Json> {
  if (parse.ignore_output === true) return null;
  const format = parse.data_type ?? "text";
  if (format === "text") return inSlices(readingOf(textOf(bytes), parse), act);
  const text = inSlices(joined(textOf(bytes), parse), act);
  return text instanceof Promise ? text.then((whole) => byDataType(whole, format, act, source)) : byDataType(text, format, act, source);
}

function* readingOf(text: string, parse: Parse): Work<Json> {
  if (parse.matches?.length) return yield* matched(yield* wanted(text, parse), parse.matches.map(readerOf));
  const cut = cutter(parse.split_by ?? parse.delimiter, parse.split_whitespace);
  return cut === undefined ? yield* joined(text, parse) : yield* table(yield* wanted(text, parse), cut, parse);
}

/** Lines between two looks at the clock. */
const linesOfStep = 256;

/** The wanted lines as one text. */
function* joined(text: string, parse: Parse): Work<string> {
  const lines = yield* wanted(text, parse);
  const parts: string[] = [];
  for (let from = 0; from < lines.length; from += linesOfStep) {
    parts.push(lines.slice(from, from + linesOfStep).join("\n"));
    yield;
  }
  return parts.join("\n");
}

function* wanted(text: string, parse: Parse): Work<readonly string[]> {
  return yield* block(rangeOf(yield* linesOf(text), parse), parse);
}

/** A break at the end starts no line. */
function* linesOf(text: string): Work<readonly string[]> {
  const lines: string[] = [];
  for (let from = 0; from < text.length; ) {
    const lineFeed = text.indexOf("\n", from);
    const end = lineFeed < 0 ? text.length : lineFeed;
    lines.push(text.slice(from, lineFeed > from && text[lineFeed - 1] === "\r" ? lineFeed - 1 : end));
    from = end + 1;
    if (lines.length % linesOfStep === 0) yield;
  }
  return lines;
}

const rangeOf = (lines: readonly string[], { line_start, line_end }: Parse): readonly string[] =>
  lines.slice(Math.max(0, line_start ?? 0), line_end === undefined || line_end === null ? undefined : Math.max(0, line_end));

/**
 * The lines between the first that fits `split_start` and the next that fits `split_end`, without those. A block that never starts is
 * empty.
 */
function* block(lines: readonly string[], { split_start, split_end }: Parse): Work<readonly string[]> {
  const begin = split_start === undefined || split_start === null ? -1 : yield* firstThatFits(split_start, lines, 0);
  if (begin < 0 && split_start !== undefined && split_start !== null) return [];
  const end = split_end === undefined || split_end === null ? -1 : yield* firstThatFits(split_end, lines, begin + 1);
  return lines.slice(begin + 1, end < 0 ? undefined : end);
}

function* firstThatFits(pattern: string, lines: readonly string[], from: number): Work<number> {
  const { test } = compile(pattern);
  for (let at = from; at < lines.length; at++) {
    if (test(lines[at] ?? "")) return at;
    if (at % linesOfStep === 0) yield;
  }
  return -1;
}

const source: DataTypeSource = { name: "command output", bad: (reason) => new Failure("command", reason) };

/** The object of a line, or undefined when it is of another form. */
type LineReader = (line: string) => JsonObject | undefined;

/** Each line is read by the first form that fits it; one that fits none is dropped. */
function* matched(lines: readonly string[], readers: readonly LineReader[]): Work<Json> {
  const rows: Json[] = [];
  for (const [i, line] of lines.entries()) {
    const row = firstRow(line, readers);
    if (row !== undefined) rows.push(row);
    if (i % linesOfStep === 0) yield;
  }
  return rows;
}

function firstRow(line: string, readers: readonly LineReader[]): JsonObject | undefined {
  for (const read of readers) {
    const row = read(line);
    if (row !== undefined) return row;
  }
  return undefined;
}

function readerOf({ keys, regex, split_by, split_whitespace }: LineMatch): LineReader {
  const names = namesOf(keys);
  if (regex !== undefined && regex !== null) {
    const pattern = compile(regex);
    return (line) => {
      const groups = pattern.exec(line);
      return groups === null ? undefined : named(names, groups.slice(1));
    };
  }
  const cut = cutter(split_by, split_whitespace);
  if (cut === undefined) throw new Failure("evaluation", "field matches: expected regex, split_by or split_whitespace");
  return (line) => {
    const cells = cut(line, names.length);
    return cells.length < names.length ? undefined : named(names, cells);
  };
}

/** Cuts a line into at most `most` cells: the last one takes the rest. */
type Cut = (line: string, most: number) => readonly string[];

function cutter(separator: string | null | undefined, whitespace: boolean | null | undefined): Cut | undefined {
  if (whitespace === true) return (line, most) => cells(line.trim(), /\s+/g, most);
  if (separator === undefined || separator === null || separator === "") return undefined;
  return (line, most) => {
    const all = line.split(separator);
    return all.length <= most ? all : [...all.slice(0, most - 1), all.slice(most - 1).join(separator)];
  };
}

function cells(line: string, separator: RegExp, most: number): readonly string[] {
  const cells: string[] = [];
  let start = 0;
  for (const gap of line.matchAll(separator)) {
    if (cells.length === most - 1) break;
    cells.push(line.slice(start, gap.index));
    start = gap.index + gap[0].length;
  }
  return line === "" ? [] : [...cells, line.slice(start)];
}

/** One object for each line that is not empty; without names the cells of each. */
function* table(lines: readonly string[], cut: Cut, { keys, disable_auto_extract }: Parse): Work<Json> {
  const names = namesOf(keys);
  const most = names.length === 0 ? Number.POSITIVE_INFINITY : names.length;
  const rows: Json[] = [];
  for (const [i, line] of lines.entries()) {
    if (i % linesOfStep === 0) yield;
    if (line.trim() === "") continue;
    const cells = cut(line, most);
    const values = disable_auto_extract === true ? [...cells] : cells.map(numberOr);
    rows.push(names.length === 0 ? values : named(names, values));
  }
  return rows;
}

/** A cell that looks like a number is one, unless its digits would be lost. */
function numberOr(cell: string): Json {
  const value = reread(cell);
  return typeof value === "number" ? value : cell;
}

const namesOf = (keys: Columns["keys"]): readonly string[] => (keys ?? []).map((key) => key ?? "");

/** A name without a value is null; values without a name are left out. */
function named(names: readonly string[], values: readonly Json[]): JsonObject {
  const row: JsonObject = {};
  for (const [i, name] of names.entries()) put(row, name, values[i] ?? null);
  return row;
}
