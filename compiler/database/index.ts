import { masked, readSettings, type Settings } from "#runtime/features/actions/database/settings.ts";
import { tablesOf } from "#runtime/languages/sql/tables.ts";
import type { Dialect } from "#runtime/plan/dialect.ts";
import type { Shape } from "#runtime/shapes/shape.ts";
import type { JsonObject } from "#runtime/value/json.ts";
import type { AnalysedPlan } from "../5-analyse/analysed.ts";
import { type Refused, rowsOf, type ServerAnswers, short } from "./answers.ts";
import { openMysql } from "./mysql.ts";
import { openPostgres } from "./postgres.ts";
import { type Question, type Questions, questionsOf } from "./questions.ts";
import type { Description, QueryRefusal, Server } from "./server.ts";
import { openSqlite } from "./sqlite.ts";

export { describedQueries, type ServerAnswers } from "./answers.ts";

/** Gives the settings of a database of a configuration, as a run would evaluate them. Rejects if they cannot be evaluated. */
export type SettingsOf = (configuration: number, database: string) => Promise<JsonObject>;

const openers: Readonly<Partial<Record<Dialect, (settings: Settings) => Promise<Server>>>> = {
  postgres: openPostgres,
  mysql: openMysql,
  sqlite: openSqlite,
};

/** Milliseconds for all queries of one database. */
const preset = 30_000;

/**
 * Asks the servers of the databases of a project for the columns of its queries. No query runs, and no value is sent. A server that does
 * not answer within the limit becomes a `problem` of its own and does not stop the others.
 */
export async function askDatabases(
  plans: readonly AnalysedPlan[],
  settingsOf: SettingsOf,
  limit = preset,
): Promise<readonly ServerAnswers[]> {
  return Promise.all(questionsOf(plans).map((questions) => answersTo(questions, settingsOf, limit)));
}

async function answersTo(questions: Questions, settingsOf: SettingsOf, limit: number): Promise<ServerAnswers> {
  const open = openers[questions.speaks];
  const conversation = new Conversation(questions);
  if (open === undefined) return conversation.answered(`check asks no servers of ${questions.database.driver}`);
  const timer = Promise.withResolvers<never>();
  const late = setTimeout(() => timer.reject(new Error(`no answer within ${limit} ms`)), limit);
  let secrets: Settings | undefined;
  try {
    const values = await Promise.race([settingsOf(questions.index, questions.database.name), timer.promise]);
    secrets = readSettings(values);
    await Promise.race([conversation.hold(open(secrets)), timer.promise]);
    return conversation.answered();
  } catch (error) {
    const message = error instanceof Error ? reasonOf(error) : String(error);
    return conversation.answered(short(secrets === undefined ? message : masked(message, secrets)));
  } finally {
    clearTimeout(late);
    conversation.end();
  }
}

/**
 * The reason of an error. An error of refused connections to both addresses of a name has no message itself, so the first inner message is
 * used.
 */
function reasonOf(error: Error): string {
  if (error instanceof AggregateError && error.message === "") return error.errors.map((each) => reasonOf(each as Error)).join("; ");
  const code = "code" in error ? String(error.code) : "";
  return (error.message || code).replace(/^database: /, "");
}

/** The questions to one server, and its answers so far. */
class Conversation {
  readonly #questions: Questions;
  readonly #descriptions = new Map<string, Description>();
  readonly #refused: Refused[] = [];
  #tables: readonly string[] | undefined;
  #server: Server | undefined;
  #ended = false;

  constructor(questions: Questions) {
    this.#questions = questions;
  }

  async hold(opening: Promise<Server>): Promise<void> {
    const server = await opening;
    this.#server = server;
    if (this.#ended) server.close();
    for (const question of this.#questions.questions) {
      if (this.#ended) return;
      const { text } = question.statement;
      const description = this.#descriptions.get(text) ?? (await server.describe(question.statement));
      this.#descriptions.set(text, description);
      if ("refusal" in description)
        this.#refused.push({ ...description.refusal, question, known: await this.#known(server, description.refusal, question) });
    }
  }

  /** The names that the server knows in the place of a missing one. */
  async #known(server: Server, { missing }: QueryRefusal, { statement }: Question): Promise<readonly string[]> {
    if (missing === undefined) return [];
    if (missing.kind === "column") return server.columns(tablesOf(statement.tokens, this.#questions.speaks).map(({ table }) => table));
    this.#tables ??= await server.tables();
    return this.#tables;
  }

  answered(problem?: string): ServerAnswers {
    const rows = [...this.#descriptions].flatMap(([text, description]): [string, Shape][] =>
      "columns" in description && description.columns.length > 0 ? [[text, rowsOf(description.columns)]] : [],
    );
    const answers = this.#questions.questions.filter(({ statement }) => this.#descriptions.has(statement.text)).length;
    return {
      questions: this.#questions,
      rows: new Map(rows),
      refused: this.#refused,
      answerCount: answers,
      ...(problem === undefined ? {} : { problem }),
    };
  }

  end(): void {
    this.#ended = true;
    this.#server?.close();
  }
}
