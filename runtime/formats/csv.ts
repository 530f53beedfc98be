import type { Work } from "../threads/slices.ts";
import { Failure } from "../value/failure.ts";
import { isObject, type Json, type JsonObject, own, put, typeOf } from "../value/json.ts";
import { show } from "../value/show.ts";
import { text } from "../value/values.ts";

/**
 * Cells that short rows may leave out, in addition to as many as the table has: 100 KB of text could stand for a thousand million cells,
 * each of which takes half a microsecond.
 */
const mostMissing = 1_000_000;

/** Columns of a table that is read: each is a member of every row. */
const mostColumns = 100_000;

/** Cells that are read in about a millisecond. */
const cellsOfSlice = 5_000;

/**
 * The rows of a CSV text (RFC 4180), by the names in its first line; cells are text. CR LF or LF ends a row, blank lines and a byte order
 * mark are ignored. A short row ends in null, a long one fails; rows are counted from 1, without the names.
 */
export function* rowsOf(csv: string): Work<JsonObject[]> {
  const lines = yield* cellsOf(csv);
  const [names = []] = lines;
  if (names.length > mostColumns) throw new Failure("transform", `more than ${mostColumns} columns`);
  const twice = repeated(names);
  if (twice !== undefined) throw new Failure("transform", `duplicate column "${show(twice)}"`);
  let cells = -names.length;
  for (const line of lines) cells += line.length;
  checkSize(names, lines.length - 1, cells);
  const rows: JsonObject[] = [];
  let cellsDone = 0;
  for (let i = 1; i < lines.length; i++) {
    rows.push(rowOf(lines[i] ?? [], names, i));
    cellsDone += names.length + 1;
    if (cellsDone < cellsOfSlice) continue;
    cellsDone = 0;
    yield;
  }
  return rows;
}

/**
 * The cells of each row of a CSV text. The parser is our own: csv-parse takes 30 µs for a row that is shorter than the first, so that a few
 * MB would keep it busy for minutes.
 */
function* cellsOf(csv: string): Work<string[][]> {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = csv.startsWith("\uFEFF") ? 1 : 0;
  let cells = 0;
  while (at < csv.length) {
    const blank = row.length === 0 ? lineEnd(csv, at) : 0;
    at += blank;
    if (blank > 0) continue;
    const { text, end } = csv[at] === '"' ? yield* quotedCell(csv, at) : bareCell(csv, at);
    row.push(text);
    if (++cells % cellsOfSlice === 0) yield;
    at = end + 1;
    if (csv[end] !== ",") {
      rows.push(row);
      row = [];
      at = end + lineEnd(csv, end);
    } else if (at === csv.length) row.push("");
  }
  return row.length === 0 ? rows : [...rows, row];
}

/** The text of a cell, and the offset of the comma or line end behind it. */
interface Cell {
  readonly text: string;
  readonly end: number;
}

/** Doubled quotes that are read in about a millisecond. */
const quotesOfSlice = 10_000;

function* quotedCell(csv: string, start: number): Work<Cell> {
  let quote = csv.indexOf('"', start + 1);
  let text = "";
  let from = start + 1;
  for (let quotes = 1; quote >= 0 && csv[quote + 1] === '"'; quotes++) {
    quote += 2;
    if (quotes % quotesOfSlice === 0) {
      text += unquoted(csv, from, quote);
      from = quote;
      yield;
    }
    quote = csv.indexOf('"', quote);
  }
  if (quote < 0) throw invalid(csv, start, "a quote is never closed");
  const end = quote + 1;
  if (end < csv.length && csv[end] !== "," && lineEnd(csv, end) === 0)
    throw invalid(csv, end, csv[end] === "\r" ? bareReturn : "text follows a closing quote");
  return { text: text + unquoted(csv, from, quote), end };
}

/** The fault of a lone CR. A text whose lines all end in one would otherwise be read as a header without rows. */
const bareReturn = "a carriage return without a line feed";

const unquoted = (csv: string, from: number, to: number): string => csv.slice(from, to).replace(/""/g, '"');

function bareCell(csv: string, start: number): Cell {
  let end = start;
  while (end < csv.length && csv[end] !== "," && lineEnd(csv, end) === 0) {
    if (csv[end] === '"') throw invalid(csv, end, "a quote stands inside a cell without quotes");
    if (csv[end] === "\r") throw invalid(csv, end, bareReturn);
    end += 1;
  }
  return { text: csv.slice(start, end), end };
}

/** Characters of the line end that begins there: none, LF or CR LF. */
function lineEnd(csv: string, at: number): number {
  if (csv[at] === "\n") return 1;
  return csv[at] === "\r" && csv[at + 1] === "\n" ? 2 : 0;
}

function invalid(csv: string, at: number, reason: string): Failure {
  return new Failure("transform", `invalid CSV: line ${csv.slice(0, at).split("\n").length}: ${reason}`);
}

function repeated(names: readonly string[]): string | undefined {
  const seen = new Set<string>();
  return names.find((name) => seen.size === seen.add(name).size);
}

function rowOf(cells: readonly string[], names: readonly string[], number: number): JsonObject {
  if (cells.length > names.length) throw new Failure("transform", `row ${number} has ${cells.length} cells, header has ${names.length}`);
  const row: JsonObject = {};
  for (const [i, name] of names.entries()) put(row, name, cells[i] ?? null);
  return row;
}

/**
 * Rows as CSV: the names of the first row, then a line for each, ended by LF; quotes only where they are needed. A member that a row lacks
 * is an empty cell, and one that the first row lacks is left out; arrays and objects are compact JSON. Formulas of spreadsheets are not
 * neutralised.
 */
export function* csvOf(data: Json): Work<string> {
  if (!Array.isArray(data)) throw notRows(data);
  const rows = data.map((row) => {
    if (!isObject(row)) throw notRows(row);
    return row;
  });
  const [first] = rows;
  if (first === undefined) return "";
  const names = Object.keys(first);
  let cells = 0;
  for (const [i, row] of rows.entries()) {
    cells += Object.keys(row).length;
    if (i % cellsOfSlice === 0) yield;
  }
  checkSize(names, rows.length, cells);
  let out = line(names);
  let lines: string[] = [];
  let cellsDone = 0;
  for (const row of rows) {
    lines.push(line(names.map((name) => text(own(row, name) ?? null))));
    cellsDone += names.length + 1;
    if (cellsDone < cellsOfSlice) continue;
    out += lines.join("");
    lines = [];
    cellsDone = 0;
    yield;
  }
  return out + lines.join("");
}

const notRows = (value: Json): Failure => new Failure("transform", `expected an array of objects, found ${typeOf(value)}`);

/** A row with one empty cell is quoted, because readers skip a blank line. */
function line(cells: readonly string[]): string {
  const [only] = cells;
  return cells.length === 1 && only === "" ? '""\n' : `${cells.map(cell).join(",")}\n`;
}

/** Quotes a cell where it needs that. A byte order mark at its start is quoted, too: readers would take it for that of the whole text. */
const cell = (value: string): string => (/[",\r\n]|^\uFEFF/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);

/** `cells`: how many cells all rows have together. */
function checkSize(names: readonly string[], rows: number, cells: number): void {
  const missing = names.length * rows - cells;
  if (missing > cells + mostMissing) throw new Failure("transform", `rows leave out ${missing} cells, the limit is ${cells + mostMissing}`);
}
