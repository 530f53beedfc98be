import { type CellObject, type ParsingOptions, read, type WorkBook, parse_zip as workbookOf } from "@e965/xlsx";
import { NotZip, zipParts } from "../../formats/unzip.ts";
import { Failure } from "../../value/failure.ts";
import { type Json, type JsonObject, put } from "../../value/json.ts";
import { boundedName } from "../../value/too-large.ts";
import { answer } from "../worker-port.ts";

export interface WorkbookRequest {
  readonly bytes: Uint8Array;
  /** Name of a sheet; the first one when null. */
  readonly sheet: string | null;
  /** True when the first row holds names. */
  readonly headers: boolean;
  /** Rows of data; those beyond are left out. */
  readonly limit: number;
  /** Bytes that the parts of an archive, or the JSON of the result, may take. */
  readonly unpacked: number;
}

declare module "@e965/xlsx" {
  /** The function that `read` calls with an archive which it has unpacked itself, without bounds. */
  export function parse_zip(archive: Archive, options: ParsingOptions): WorkBook;
}

interface Archive {
  readonly FullPaths: readonly string[];
  readonly FileIndex: readonly { readonly name: string; readonly type: 2; readonly content: Buffer }[];
}

/** Rows by number, each with its cells by column number. Rows and cells that the file leaves out are holes. */
type Table = readonly (readonly (CellObject | undefined)[] | undefined)[];

/** Rows and columns of the largest sheet that spreadsheet programs write. */
const [mostRows, mostColumns] = [1_048_576, 16_384];
/** choice: places of the result, empty ones included; what is larger belongs in a database. */
const mostPlaces = 1_000_000;

/** The rows of a sheet as the text of JSON, which is quicker to read than a copy of values. */
export function workbookRows({ bytes, sheet, headers, limit, unpacked }: WorkbookRequest): string {
  const book = workbook(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), sheet, unpacked);
  const [first] = book.SheetNames;
  if (first === undefined) throw new Failure("transform", "not a workbook");
  const name = sheet ?? first;
  if (!book.SheetNames.includes(name)) throw noSheet(name, book.SheetNames);
  const table: Table = (Object.hasOwn(book.Sheets, name) ? book.Sheets[name]?.["!data"] : undefined) ?? [];
  const rows = rowsOf(table, headers ? limit + 1 : limit);
  const text = JSON.stringify(headers ? named(rows) : rows);
  if (text.length > unpacked) throw tooMuch(unpacked, "bytes");
  return text;
}

/** Parses only the values of the wanted sheet: no formulas, styles, links or macros. */
function workbook(bytes: Buffer, sheet: string | null, unpacked: number): WorkBook {
  const options: ParsingOptions = {
    type: "buffer",
    dense: true,
    sheets: sheet ?? 0,
    cellFormula: false,
    cellHTML: false,
    cellText: false,
    cellDates: false,
  };
  try {
    // The library would read nearly everything as a workbook, text as CSV for one.
    if (bytes.subarray(0, 4).equals(Buffer.from("PK\x03\x04"))) return workbookOf(archive(bytes, unpacked), options);
    if (isCompoundFile(bytes)) return read(bytes, options);
  } catch (error) {
    if (error instanceof Failure) throw error;
    const reason = error instanceof Error && /password|encrypt/i.test(error.message) ? "document is encrypted" : "not a workbook";
    throw new Failure("transform", reason);
  }
  throw new Failure("transform", "not a workbook");
}

/**
 * True for a compound file as .xls is one ([MS-CFB] 2.2), of a known version. The library would unpack one of another version without
 * bounds.
 */
const isCompoundFile = (bytes: Buffer): boolean =>
  bytes.length >= 512 && bytes.subarray(0, 8).equals(Buffer.from("d0cf11e0a1b11ae1", "hex")) && [3, 4].includes(bytes.readUInt16LE(26));

/** The XML parts of an archive (.xlsx, .ods). Throws before unpacking when all parts together have more than `unpacked` bytes. */
function archive(bytes: Buffer, unpacked: number): Archive {
  const parts = zipParts(bytes);
  if (parts.reduce((sum, { size }) => sum + size, 0) > unpacked) throw tooMuch(unpacked, "bytes");
  const texts = parts.filter(({ name }) => /\.(?:xml|rels)$/i.test(name));
  if (!texts.some(({ name }) => name === "[Content_Types].xml" || name === "content.xml")) throw new NotZip("no workbook");
  return {
    FullPaths: texts.map(({ name }) => name),
    FileIndex: texts.map(({ name, unpack }) => ({ name, type: 2, content: unpack() })),
  };
}

/** Rows with at least one cell, up to the limit, each as wide as the part of the sheet that is in use. */
function rowsOf(table: Table, limit: number): readonly (readonly Json[])[] {
  if (table.length > mostRows) throw new Failure("transform", "not a workbook");
  const filled = table.flatMap((row) => {
    const columns = row === undefined ? [] : Object.keys(row).map(Number);
    const [first, last] = [columns.find((column) => isUsed(row?.[column])), columns.findLast((column) => isUsed(row?.[column]))];
    return row === undefined || first === undefined || last === undefined ? [] : [{ row, first, last }];
  });
  const first = filled.reduce((least, one) => Math.min(least, one.first), mostColumns);
  const end = filled.reduce((most, one) => Math.max(most, one.last + 1), 0);
  if (end > mostColumns) throw new Failure("transform", "not a workbook");
  const rows = filled.slice(0, limit);
  if (rows.length * (end - first) > mostPlaces) throw tooMuch(mostPlaces, "cells");
  return rows.map(({ row }) => Array.from({ length: end - first }, (_, i) => cellValue(row[first + i])));
}

const isUsed = (cell: CellObject | undefined): boolean => cell !== undefined && cell.t !== "z" && cell.v !== undefined && cell.v !== "";

/** The value of a cell without its format: a date as its serial number, an error as null. */
function cellValue(cell: CellObject | undefined): Json {
  if (cell === undefined || cell.t === "e" || cell.t === "z" || cell.v === undefined || cell.v instanceof Date) return null;
  return typeof cell.v === "number" && !Number.isFinite(cell.v) ? null : cell.v;
}

/** The rows after the first one as objects, whose keys are the names in the first row. */
function named([header = [], ...rows]: readonly (readonly Json[])[]): readonly JsonObject[] {
  const names = header.map((name, i) => (name === null || name === "" ? `column_${i + 1}` : boundedName(String(name))));
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice !== undefined) throw new Failure("transform", `duplicate column "${short(twice)}"`);
  return rows.map((row) => {
    const out: JsonObject = {};
    for (const [i, name] of names.entries()) put(out, name, row[i] ?? null);
    return out;
  });
}

function noSheet(name: string, names: readonly string[]): Failure {
  const list = names.slice(0, 20).map(short).join(", ");
  return new Failure("transform", `no sheet named "${short(name)}"; sheets: ${list}${names.length > 20 ? ", …" : ""}`);
}

const short = (text: string): string => (text.length > 40 ? `${text.slice(0, 40)}…` : text);

const tooMuch = (limit: number, unit: string): Failure => new Failure("transform", `output is over the limit of ${limit} ${unit}`);

answer(workbookRows);
