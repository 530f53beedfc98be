import { tablesOf } from "#runtime/languages/sql/tables.ts";
import type { Span } from "#runtime/plan/index.ts";
import { array, object, type Shape } from "#runtime/shapes/shape.ts";
import type { DescribedQueries } from "../5-analyse/shapes/described.ts";
import { databases as codes } from "../diagnostics/codes/databases.ts";
import type { Report } from "../diagnostics/diagnostic.ts";
import { nearest } from "../diagnostics/nearest.ts";
import { placeOfName } from "./place.ts";
import { lastName, type Question, type Questions } from "./questions.ts";
import type { Column, QueryRefusal } from "./server.ts";

/** A refusal of a server, with the known names in place of an unknown one. */
export interface Refused extends QueryRefusal {
  readonly question: Question;
  readonly known: readonly string[];
}

/** The answers of one server to the queries of one configuration. */
export interface ServerAnswers {
  readonly questions: Questions;
  /** The rows of the queries by their texts. */
  readonly rows: ReadonlyMap<string, Shape>;
  readonly refused: readonly Refused[];
  /** The reason why some or all queries have no answer. */
  readonly problem?: string;
  /** The number of queries with an answer. */
  readonly answerCount: number;
}

/** Rows with these columns; of two columns with one name the last one counts. */
export const rowsOf = (columns: readonly Column[]): Shape =>
  array(object(new Map(columns.map(({ name, shape }) => [name, { shape }] as const))));

/** The answers of all servers in the form for phase 5. */
export function describedQueries(all: readonly ServerAnswers[]): DescribedQueries {
  const byDatabase = new Map(all.map((one) => [`${one.questions.file}\0${one.questions.database.name}`, one]));
  return {
    rowsOf: (file, database, query) => byDatabase.get(`${file}\0${database}`)?.rows.get(query),
    tell: (report, sourceOf) => {
      for (const one of all) tell(one, report, sourceOf);
    },
  };
}

function tell({ questions, refused, problem }: ServerAnswers, report: Report, sourceOf: (file: string) => string): void {
  const { database, changedTables } = questions;
  for (const each of refused) if (!isExcused(each, changedTables, questions)) tellRefusal(database.name, each, report, sourceOf);
  const at = database.at ?? questions.questions[0]?.at;
  if (problem !== undefined && at !== undefined) report(codes.notAsked(database.name, problem), at);
}

/**
 * True for a refusal that may be no mistake: the server may refuse a constant that stands for a value, and a table that the project makes
 * may not exist yet.
 */
function isExcused({ missing, question: { statement } }: Refused, changedTables: ReadonlySet<string>, { speaks }: Questions): boolean {
  if (missing === undefined) return statement.filled;
  if (missing.kind === "table") return changedTables.has(lastName(missing.name));
  return tablesOf(statement.tokens, speaks).some(({ table }) => changedTables.has(lastName(table)));
}

function tellRefusal(
  database: string,
  { missing, message, known, question }: Refused,
  report: Report,
  sourceOf: (file: string) => string,
): void {
  const { statement, at } = question;
  if (missing === undefined) {
    report(codes.refusedQuery(database, short(message)), at);
    return;
  }
  const place: Span | undefined = placeOfName(missing.name, statement.text, at, sourceOf(at.file));
  const finding = (missing.kind === "table" ? codes.unknownTable : codes.unknownColumn)(
    { database, name: missing.name, known, nearest: nearest(missing.name, known) },
    place !== undefined,
  );
  report(finding, place ?? at);
}

/** A message of a server, shortened because it may have any length. */
export const short = (message: string): string => (message.length > 300 ? `${message.slice(0, 300)}…` : message);
