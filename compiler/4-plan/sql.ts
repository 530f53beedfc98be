import type { Expr, Part, Span } from "#runtime/plan.ts";
import { databases } from "../diagnostics/codes/actions.ts";
import type { Marker } from "./marker.ts";
import { lowerHole } from "./reads.ts";
import { reportAt, type Scalar } from "./scalar.ts";
import type { Lowering } from "./scope.ts";
import { type Dialect, type Mark, type Place, SqlLexer } from "./sql-lexer.ts";

/** What an action says beside its `query`. */
export interface QuerySetting {
  readonly driver: Dialect;
  /** `params`, when there are any; without a count when a marker supplies the list. */
  readonly params?: { readonly span: Span; readonly count?: number };
  readonly multi?: boolean;
}

interface Hole {
  readonly kind: "hole";
  readonly marker: Marker;
  readonly place: Place;
}

type Piece = string | Mark | Hole;

/** A query for the driver. `order`: the entry of `params`, from 0, of each placeholder, where the driver knows no numbers and they are not in order. */
export interface LoweredQuery {
  readonly text: Expr;
  readonly order?: readonly number[];
}

/**
 * Turns a query into an expression: placeholders are rewritten for the driver, and each hole is filled by its lexical place (language.md 5.4.3).
 * The scalar was read as code, and is sound.
 */
export function lowerQuery(scalar: Scalar, cx: Lowering, { driver, params, multi }: QuerySetting): LoweredQuery {
  const { span } = scalar.node;
  const pieces = read(scalar, driver);
  const isPlaceholder = placeholders(driver, pieces);
  const operators = pieces.filter((piece) => isMark(piece) && !isPlaceholder(piece));
  const { texts, numbers } = numbered(driver, pieces, isPlaceholder);
  const count = Math.max(0, ...numbers);
  const expected = params === undefined ? 0 : params.count;
  if (multi === true && params !== undefined) cx.report(databases.multiWithParams(), params.span);
  else if (expected !== undefined && expected !== count) {
    const finding = operators.length > 0 ? databases.parameterCountDoubtful : databases.parameterCount;
    cx.report(finding(count, expected), span);
  }
  const filled = texts.flatMap((piece) => (typeof piece === "string" ? [piece] : fill(piece, scalar, cx, driver)));
  if (filled.some(couldBeParam)) cx.report(databases.preferParams(), span);
  const inOrder = driver !== "mysql" || numbers.every((number, i) => number === i + 1);
  return { text: joined(filled), ...(inOrder ? {} : { order: numbers.map((number) => number - 1) }) };
}

/** The text in pieces; an escape such as `\a|` is text like its neighbours. */
function read({ template }: Scalar, driver: Dialect): Piece[] {
  const lexer = new SqlLexer(driver);
  const pieces: Piece[] = [];
  let text = "";
  for (const part of template.parts) {
    if (part.kind === "text") {
      text += part.text;
      continue;
    }
    pieces.push(...lexer.read(text, true), { kind: "hole", marker: part, place: lexer.place });
    text = "";
  }
  return [...pieces, ...lexer.read(text, false)];
}

const isMark = (piece: Piece): piece is Mark => typeof piece !== "string" && piece.kind !== "hole";

/** Tells placeholders from PostgreSQL's operators `?`, `?|`, `?&` and `@?`: next to `$1` a `?` is an operator, and so is one with a value behind it. */
function placeholders(driver: Dialect, pieces: readonly Piece[]): (mark: Mark) => boolean {
  if (driver !== "postgres") return () => true;
  const numbered = pieces.some((piece) => isMark(piece) && piece.kind === "numbered");
  return (mark) => mark.kind === "numbered" || (mark.kind === "question" && !numbered && !mark.operand);
}

/**
 * Writes placeholders as the driver does, and gives their numbers. One without a number takes the next after the highest so far, and so does a
 * name that is new.
 */
function numbered(
  driver: Dialect,
  pieces: readonly Piece[],
  isPlaceholder: (mark: Mark) => boolean,
): { readonly texts: readonly (string | Hole)[]; readonly numbers: readonly number[] } {
  const names = new Map<string, number>();
  const numbers: number[] = [];
  let highest = 0;
  const texts = pieces.map((piece) => {
    if (!isMark(piece)) return piece;
    if (!isPlaceholder(piece)) return piece.text;
    const number = piece.kind === "numbered" ? piece.number : (names.get(piece.text) ?? highest + 1);
    if (piece.kind === "named") names.set(piece.text, number);
    numbers.push(number);
    highest = Math.max(highest, number);
    return placeholder(driver, number);
  });
  return { texts, numbers };
}

function placeholder(driver: Dialect, number: number): string {
  switch (driver) {
    case "postgres":
      return `$${number}`;
    case "mssql":
      return `@p${number}`;
    case "mysql":
      return "?";
    case "sqlite":
      return `?${number}`;
  }
}

/** What stands in the place of a hole. */
function fill({ marker, place }: Hole, scalar: Scalar, cx: Lowering, driver: Dialect): readonly Text[] {
  const { of, raw, refused } = lowerHole(marker, scalar, cx, "SQL");
  if (refused) return [];
  const { use: last, of: value } = of.op === "filter" ? of : { use: "", of };
  switch (place) {
    case "comment":
    case "dollar quote":
    case "Unicode escape string":
    case "escape sequence":
    case "bracketed name":
      reportAt(databases.markerInComment(place), marker, scalar, cx.report);
      return [];
    case "bare":
      if (raw) return [{ fill: "raw", of }];
      if (last === "single_quote")
        return [gap, driver === "mssql" ? "N'" : "'", { fill: "sql_string", of: value, dialect: driver }, "'", gap];
      if (last === "array_values") return [gap, { fill: "sql_value", of: value, dialect: `${driver} list` }, gap];
      return [gap, { fill: "sql_value", of, dialect: driver }, gap];
    case "string":
      return [raw ? { fill: "raw", of } : { fill: "sql_string", of, dialect: driver }];
    case "escape string":
      return [raw ? { fill: "raw", of } : { fill: "sql_string", of, dialect: `${driver} escape` }];
    case "double quotes":
      return [raw ? { fill: "raw", of } : { fill: "sql_identifier", of, dialect: driver }];
    case "escape double quotes":
      return [raw ? { fill: "raw", of } : { fill: "sql_string", of, dialect: `${driver} double` }];
    case "backticks":
      return [raw ? { fill: "raw", of } : { fill: "sql_identifier", of, dialect: `${driver} backtick` }];
    case "brackets":
      return [raw ? { fill: "raw", of } : { fill: "sql_identifier", of, dialect: `${driver} bracket` }];
  }
}

/** A list of values has no placeholder. */
const couldBeParam = (text: Text): boolean =>
  typeof text === "object" && !text.dialect?.endsWith(" list") && (text.fill === "sql_value" || text.fill === "sql_string");

type Text = Part | typeof gap;

/** Stands on both sides of a literal: without a blank `-` before `-5` would start a comment, and `'a'` before `'b'` would be one string. */
const gap = Symbol("gap");

/** The whole text. A gap becomes a blank unless blanks, brackets or commas keep its neighbours apart. */
function joined(pieces: readonly Text[]): Expr {
  const parts: Part[] = [];
  let due = false;
  for (const piece of pieces) {
    if (piece === gap) {
      due = true;
      continue;
    }
    const last = parts.at(-1) ?? " ";
    const apart = (typeof last === "string" && /[\s([,]$/.test(last)) || (typeof piece === "string" && /^[\s)\],;]/.test(piece));
    append(parts, due && !apart ? " " : "");
    append(parts, piece);
    due = false;
  }
  const [only = ""] = parts;
  return parts.length <= 1 && typeof only === "string" ? { op: "lit", value: only } : { op: "text", parts };
}

function append(parts: Part[], piece: Part): void {
  const last = parts.at(-1);
  if (typeof piece === "string" && typeof last === "string") parts[parts.length - 1] = last + piece;
  else if (piece !== "") parts.push(piece);
}
