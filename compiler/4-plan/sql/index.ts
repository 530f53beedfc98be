import { type Mark, SqlLexer, type SqlPlace, type SqlToken } from "#runtime/languages/sql/lexer.ts";
import type { Dialect } from "#runtime/plan/dialect.ts";
import type { Expr, Span, TextPart } from "#runtime/plan/index.ts";
import type { Marker } from "../../1-read/markers/marker.ts";
import { databases } from "../../diagnostics/codes/databases.ts";
import { isSurelyText } from "../inference/sure-text.ts";
import { isConfigControlled } from "../lower/config-controlled.ts";
import { type Hole as Filled, lowerHole } from "../lower/reads.ts";
import { reportAt, type Scalar } from "../lower/scalar.ts";
import type { Lowering } from "../markers/scope.ts";
import { comparedWithNumber, entriesOf, onlyMember } from "./affinity.ts";
import { besideValue, parametersAmong } from "./bind.ts";
import { charsetChosen } from "./charset.ts";
import { gap, joined, type Text } from "./joined.ts";
import { type NamePlaces, namePlaces } from "./names.ts";
import { runnersOf } from "./run-texts.ts";
import { changesSession } from "./session.ts";
import { areStatements } from "./statements.ts";
import { uncounted } from "./uncounted.ts";

/** The fields of an action beside its `query` that decide how the query is read. */
export interface QuerySetting {
  readonly driver: Dialect;
  /** The list `params`, if there is one; `count` is absent when a marker supplies the list. */
  readonly params?: { readonly span: Span; readonly count?: number };
  readonly multi?: boolean;
}

interface Hole {
  readonly kind: "hole";
  /** The index of the hole among the holes of the query, from 0. */
  readonly index: number;
  readonly marker: Marker;
  readonly place: SqlPlace;
  /** The number of tokens before the hole; an unfinished token counts. */
  readonly at: number;
}

type Piece = string | Mark | Hole;

/** A query in the form for the driver. */
export interface LoweredQuery {
  readonly text: Expr;
  /** The values that are bound behind `params`: the holes that are parameters, in the order of the text. */
  readonly values: readonly Expr[];
  /**
   * For each placeholder, the index of its entry in `params` and `values` together. It is present when the driver has no numbered
   * placeholders and the entries are not in order.
   */
  readonly order?: readonly number[];
  /**
   * Present when the query may change the session of its connection: always (`true`), or unless each of these texts of the configuration is
   * a name.
   */
  readonly session?: Expr;
  /** The entries of `params`, from 0, that SQLite compares with a computed number. */
  readonly compared: readonly number[];
  /** The entries of `params` that stand alone in the brackets of `IN`. */
  readonly members: readonly number[];
}

/**
 * Turns a query into an expression: placeholders are rewritten for the driver, a bare hole becomes a placeholder of its own where one can
 * stand, and each other hole is filled by its lexical place. The scalar must have been read as code, without mistakes.
 */
export function lowerQuery(scalar: Scalar, cx: Lowering, { driver, params, multi = false }: QuerySetting): LoweredQuery {
  const { span } = scalar.node;
  const { pieces, tokens } = read(scalar, driver);
  const isPlaceholder = placeholders(driver, pieces);
  const operators = pieces.filter((piece) => isMark(piece) && !isPlaceholder(piece));
  const { texts, count } = numbered(pieces, isPlaceholder);
  const expected = params === undefined ? 0 : params.count;
  if (multi && params !== undefined) cx.report(databases.multiWithParams(), params.span);
  else if (params !== undefined && count > 0 && areStatements(tokens, driver)) cx.report(databases.statementsWithParams(), params.span);
  else if (expected !== undefined && expected !== count) {
    const finding =
      operators.length > 0
        ? databases.parameterCountDoubtful(count, expected)
        : databases.parameterCount(count, expected, uncounted(scalar.template.text, tokens, driver));
    cx.report(finding, span);
  }
  const holes = pieces.filter((piece) => isHole(piece));
  const beside = besideValue(tokens);
  const asParameters = parametersAmong(tokens, driver, { multi, textOf: (hole) => textOf(scalar, holes[hole]) });
  const places = namePlaces(tokens, isPlaceholder);
  if (places.placeholder !== undefined) cx.report(databases.valueForName(places.placeholder), span);
  const { filled, values, raw } = fillAll(texts, scalar, cx, { driver, beside, asParameters, tokens, names: places.holes });
  const slots = filled.flatMap((piece) => (isSlot(piece) ? [piece.value === undefined ? piece.number - 1 : count + piece.value] : []));
  const entriesWhere = entriesOf(
    texts.filter((piece) => typeof piece === "object" && piece.kind === "slot"),
    tokens,
  );
  const inOrder = driver !== "mysql" || slots.every((slot, i) => slot === i);
  return {
    text: joined(filled.flatMap((piece) => (isSlot(piece) ? written(driver, piece, count) : [piece]))),
    values,
    ...(inOrder ? {} : { order: slots }),
    ...sessionOf(changesSession(tokens, driver), raw),
    compared: driver === "sqlite" ? entriesWhere(comparedWithNumber(tokens)) : [],
    members: entriesWhere(onlyMember(tokens)),
  };
}

const textOf = ({ template }: Scalar, hole: Hole | undefined): string =>
  hole === undefined ? "" : template.text.slice(hole.marker.start, hole.marker.end);

/** The text in pieces; an escape such as `\\a|` is joined with the text around it. */
function read({ template }: Scalar, driver: Dialect): { readonly pieces: readonly Piece[]; readonly tokens: readonly SqlToken[] } {
  const lexer = new SqlLexer(driver);
  const pieces: Piece[] = [];
  let text = "";
  let index = 0;
  for (const part of template.parts) {
    if (part.kind === "text") {
      text += part.text;
      continue;
    }
    pieces.push(...lexer.read(text, true), { kind: "hole", marker: part, place: lexer.place, index, at: lexer.tokens.length });
    lexer.hole(index, isRaw(part));
    index += 1;
    text = "";
  }
  return { pieces: [...pieces, ...lexer.read(text, false)], tokens: lexer.tokens };
}

const isRaw = ({ steps }: Marker): boolean => steps.some((step) => step.kind === "filter" && step.name === "raw");

const isHole = (piece: Piece): piece is Hole => typeof piece !== "string" && piece.kind === "hole";
const isMark = (piece: Piece): piece is Mark => typeof piece !== "string" && piece.kind !== "hole";

/**
 * Tells placeholders from PostgreSQL's operators `?`, `?|`, `?&` and `@?`: a `?` is an operator in a query with `$1`, or with a value
 * behind it.
 */
function placeholders(driver: Dialect, pieces: readonly Piece[]): (mark: Mark) => boolean {
  if (driver !== "postgres") return () => true;
  const numbered = pieces.some((piece) => isMark(piece) && piece.kind === "numbered");
  return (mark) => mark.kind === "numbered" || (mark.kind === "question" && !numbered && !mark.operand);
}

/**
 * A placeholder for the driver. `number` is that of an entry of `params`, from 1; `value`, if present, is the index of an entry of
 * `values`.
 */
interface Slot {
  readonly kind: "slot";
  readonly mark?: Mark;
  readonly number: number;
  readonly value?: number;
}

/** Gives placeholders their numbers. A placeholder without a number, or with a new name, takes the number after the highest so far. */
function numbered(
  pieces: readonly Piece[],
  isPlaceholder: (mark: Mark) => boolean,
): { readonly texts: readonly (string | Slot | Hole)[]; readonly count: number } {
  const names = new Map<string, number>();
  let count = 0;
  const texts = pieces.map((piece): string | Slot | Hole => {
    if (!isMark(piece)) return piece;
    if (!isPlaceholder(piece)) return piece.text;
    const number = piece.kind === "numbered" ? piece.number : (names.get(piece.text) ?? count + 1);
    if (piece.kind === "named") names.set(piece.text, number);
    count = Math.max(count, number);
    return { kind: "slot", mark: piece, number };
  });
  return { texts, count };
}

/**
 * A placeholder in the syntax of the driver. A placeholder for a hole gets a gap, because with a `$` or `?` before it it would be another
 * token.
 */
function written(driver: Dialect, { number, value }: Slot, count: number): readonly Text[] {
  return value === undefined ? [placeholder(driver, number)] : [gap, placeholder(driver, count + value + 1), gap];
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

interface Filling {
  readonly driver: Dialect;
  /** The holes that stand beside another value, each with the words for the neighbour. */
  readonly beside: ReadonlyMap<number, string>;
  readonly asParameters: ReadonlySet<number>;
  readonly tokens: readonly SqlToken[];
  /** The holes that stand for a name or a keyword, each with the words for its place. */
  readonly names: NamePlaces["holes"];
}

/** Every hole as text, or as a placeholder whose value is bound. */
function fillAll(
  texts: readonly (string | Slot | Hole)[],
  scalar: Scalar,
  cx: Lowering,
  { driver, beside, asParameters, tokens, names }: Filling,
): { readonly filled: readonly (Text | Slot)[]; readonly values: readonly Expr[]; readonly raw: readonly Expr[] } {
  const values: Expr[] = [];
  const raw: Expr[] = [];
  const chosen = charsetChosen(tokens, driver);
  const isCompared = comparedWithNumber(tokens);
  const runnerAt = runnersOf(tokens, driver);
  const filled = texts.map((piece): readonly (Text | Slot)[] => {
    if (typeof piece === "string" || piece.kind === "slot") return [piece];
    const neighbour = beside.get(piece.index);
    if (neighbour !== undefined) {
      reportAt(databases.markerBesideValue(neighbour), piece.marker, scalar, cx.report);
      return [];
    }
    const hole = lowerHole(piece.marker, scalar, cx, "SQL");
    if (hole.refused) return [];
    if (piece.at > chosen && !hole.raw) {
      reportAt(databases.markerBehindCharset(), piece.marker, scalar, cx.report);
      return [];
    }
    const runner = isConfigControlled(hole.of) ? undefined : runnerAt(piece.place === "bare" ? piece.at : piece.at - 1);
    if (runner !== undefined) {
      reportAt(databases.markerInRunText(runner), piece.marker, scalar, cx.report);
      return [];
    }
    if (hole.raw && piece.place === "bare") raw.push(hole.of);
    const place = names.get(piece.index);
    if (place !== undefined) reportAt(databases.valueForName(place), piece.marker, scalar, cx.report);
    if (driver === "sqlite" && isSurelyText(hole.of) && piece.place === "bare" && isCompared(piece.at))
      reportAt(databases.textBesideNumber(), piece.marker, scalar, cx.report);
    const value = asParameters.has(piece.index) && piece.place === "bare" ? parameterOf(hole.of) : undefined;
    if (value === undefined) return fill(piece, hole, scalar, cx, driver);
    return [{ kind: "slot", number: 0, value: values.push(value) - 1 }];
  });
  const isName = (piece: string | Slot | Hole | undefined): boolean =>
    typeof piece === "object" && piece.kind === "hole" && names.has(piece.index);
  if (filled.some((made, i) => !isName(texts[i]) && made.some(couldBeParam))) cx.report(databases.preferParams(), scalar.node.span);
  return { filled: filled.flat(), values, raw };
}

function sessionOf(changes: boolean, raw: readonly Expr[]): Pick<LoweredQuery, "session"> {
  if (changes) return { session: { op: "lit", value: true } };
  return raw.length === 0 ? {} : { session: { op: "list", items: raw } };
}

/** The value that is bound for a hole; undefined for a list of values, whose length is known only when the query runs. */
function parameterOf(of: Expr): Expr | undefined {
  if (of.op !== "filter") return of;
  if (of.use === "array_values") return undefined;
  return of.use === "single_quote" ? { op: "filter", use: "to_string", of: of.of, args: [] } : of;
}

const isSlot = (piece: Text | Slot): piece is Slot => typeof piece === "object" && "kind" in piece;

/** The text in the place of a hole. */
function fill({ marker, place }: Hole, { of, raw }: Filled, scalar: Scalar, cx: Lowering, driver: Dialect): readonly Text[] {
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

/** True for a text that could be a parameter; a list of values has no placeholder. */
const couldBeParam = (text: Text | Slot): boolean =>
  typeof text === "object" && ("kind" in text ? text.value !== undefined : isLiteral(text));

const isLiteral = (text: Exclude<TextPart, string>): boolean =>
  !text.dialect?.endsWith(" list") && (text.fill === "sql_value" || text.fill === "sql_string");
