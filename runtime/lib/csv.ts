import { CsvError, parse } from "csv-parse/sync";
import { Failure } from "../failure.ts";
import { isObject, type Json, type JsonObject, own, put, typeOf } from "../json.ts";
import { text } from "../values.ts";

/** Cells of one table. Rows may leave cells out, so that a table can be far larger than its text: 5 MB may stand for a million million. */
const mostCells = 10_000_000;

/**
 * The rows of a CSV text (RFC 4180), by the names in its first line; cells are text. CR LF or LF ends a row, blank lines and a byte order mark
 * are ignored. A short row ends in null, a long one fails; rows are counted from 1, without the names.
 */
export function parseCsv(csv: string): JsonObject[] {
  const [names = [], ...rows] = cellsOf(csv);
  const twice = repeated(names);
  if (twice !== undefined) throw new Failure("transform", `duplicate column "${twice}"`);
  checkSize(names, rows);
  return rows.map((cells, i) => rowOf(cells, names, i + 1));
}

/** The cells of each line that is not blank. Written by hand: csv-parse takes 30 µs for a row that is shorter than the first. */
function cellsOf(csv: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = csv.startsWith("\uFEFF") ? 1 : 0;
  while (at < csv.length) {
    const { text, end } = csv[at] === '"' ? quotedCell(csv, at) : bareCell(csv, at);
    row.push(text);
    at = end + 1;
    if (csv[end] === "," && at < csv.length) continue;
    if (csv[end] === ",") row.push("");
    if (row.length > 1 || text !== "" || csv[at - 2] === '"') rows.push(row);
    row = [];
  }
  return rows;
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
 * Rows as CSV: the names of the first row, then a line for each, ended by LF; quotes only where they are needed. What a row lacks is empty,
 * what the first one lacks is left out; arrays and objects are compact JSON. Formulas of spreadsheets are not neutralised.
 */
export function writeCsv(data: Json): string {
  if (!Array.isArray(data)) throw notRows(data);
  const rows = data.map((row) => {
    if (!isObject(row)) throw notRows(row);
    return row;
  });
  const [first] = rows;
  if (first === undefined) return "";
  const names = Object.keys(first);
  checkSize(names, rows);
  return [names, ...rows.map((row) => names.map((name) => text(own(row, name) ?? null)))].map(line).join("");
}

const notRows = (found: Json): Failure => new Failure("transform", `expected an array of objects, found ${typeOf(found)}`);

/** A row of one empty cell is quoted: as a blank line, nobody would read it. */
function line(cells: readonly string[]): string {
  const [only] = cells;
  return cells.length === 1 && only === "" ? '""\n' : `${cells.map(cell).join(",")}\n`;
}

const cell = (value: string): string => (/[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);

function checkSize(names: readonly string[], rows: readonly unknown[]): void {
  if (names.length * rows.length > mostCells) throw new Failure("transform", `table has more than ${mostCells} cells`);
}
