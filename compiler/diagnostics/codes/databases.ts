import { error, suggestion, warning } from "./code.ts";

/** A name that a server does not know, with the known names. */
interface MissingName {
  readonly database: string;
  readonly name: string;
  readonly known: readonly string[];
  readonly nearest: string | undefined;
}

/** The message of a missing name. With `isPlace` the finding points exactly at the name, so that a fix can replace it. */
const missing = (what: string, where: string, { name, known, nearest }: MissingName, isPlace: boolean) => {
  const { words, instead } = suggestion(nearest);
  const names = known.length > shown ? `${known.slice(0, shown).join(", ")} and ${known.length - shown} more` : known.join(", ");
  return {
    message: `${where} no ${what} '${name}'${words}`,
    hint: known.length === 0 ? `create the ${what}, or correct its name` : `there ${known.length === 1 ? "is" : "are"} ${names}`,
    instead: isPlace ? instead : undefined,
  };
};

const shown = 12;

/** 41x: databases. */
export const databases = {
  unknownDriver: error(
    "PW410",
    (driver: string, drivers: string, nearest?: string) => {
      const { words, instead } = suggestion(nearest);
      return { message: `unknown driver '${driver}'${words}`, hint: drivers, instead };
    },
    {
      means: "`driver` is `mongodb`, `mssql`, `mysql`, `postgres` or `sqlite`.",
      wrong: "main: { driver: oracle, conn_string: a|var::DB| }",
      right: "main: { driver: postgres, conn_string: a|var::DB| }",
    },
  ),
  otherAddress: error(
    "PW410",
    (driver: string, scheme: string) => ({ message: `this is no address of ${driver}`, hint: `it starts with ${scheme}:` }),
    {
      means: "The scheme of `conn_string` must be one of the driver, such as `postgres:`.",
      wrong: "main: { driver: postgres, conn_string: 'mysql://db/shop' }",
      right: "main: { driver: postgres, conn_string: 'postgres://db/shop' }",
    },
  ),
  twoConnections: error("PW411", () => "conn_string and discrete fields exclude each other", {
    means: "A connection is described by `conn_string`, or by user, pass, host, port, dbname and params.",
    wrong: "main: { driver: postgres, conn_string: a|var::DB|, host: db }",
    right: "main: { driver: postgres, conn_string: a|var::DB| }",
  }),
  /** `key` is the key for databases of another kind, and `needed` the key for this database. */
  askedOtherwise: error(
    "PW113",
    (key: string, needed: string, driver: string) => ({
      message: `'${key}' cannot ask a database of driver ${driver}`,
      hint: `write '${needed}', or name another database`,
    }),
    {
      means: "An SQL database is asked by `query`, MongoDB by `document_operation`.",
      wrong: "database: main # of driver sqlite\ndocument_operation: { collection: users, operation: find }",
      right: "database: main\nquery: SELECT * FROM users",
    },
  ),
  unknown: error(
    "PW412",
    (name: string, nearest?: string) => {
      const { words, instead } = suggestion(nearest);
      return { message: `unknown database '${name}'${words}`, instead };
    },
    {
      means: "`database` names an entry of `global.databases`, unless the action has its own `conn_string`.",
      wrong: "global:\n  databases: { main: { driver: sqlite, conn_string: 'sqlite:a.db' } }\n# …\ndatabase: mian",
      right: "global:\n  databases: { main: { driver: sqlite, conn_string: 'sqlite:a.db' } }\n# …\ndatabase: main",
    },
  ),
  multiWithParams: error(
    "PW413",
    () => ({ message: "multi cannot have params", hint: "remove multi, or run the statements as actions of their own" }),
    {
      means: "Parameters are bound to one statement; `multi` runs several.",
      wrong: "multi: true\nquery: DELETE FROM a; DELETE FROM b\nparams: [1]",
      right: "multi: true\nquery: DELETE FROM a; DELETE FROM b",
    },
  ),
  statementsWithParams: error(
    "PW413",
    () => ({
      message: "several statements cannot have params",
      hint: "run them as actions of their own, or write markers in the text: 'WHERE id = a|params::id|'",
    }),
    {
      means: "Parameters are bound to one statement; only SQL Server binds them to several.",
      wrong: "query: DELETE FROM a WHERE id = ?; DELETE FROM b\nparams: [a|params::id|]",
      right: "query: DELETE FROM a WHERE id = ?\nparams: [a|params::id|]",
    },
  ),
  parameterCount: error(
    "PW414",
    (placeholders: number, parameters: number, hint?: string) => ({
      message: `query has ${placeholders} placeholders, params has ${parameters}`,
      hint: hint ?? "params holds one value for each placeholder",
    }),
    {
      means: "Every `?` or `$n` outside literals and comments takes one entry of `params`.",
      wrong: "query: SELECT * FROM users WHERE id = ? AND org = ?\nparams: [a|params::id|]",
      right: "query: SELECT * FROM users WHERE id = ? AND org = ?\nparams: [a|params::id|, a|params::org|]",
    },
  ),
  parameterCountDoubtful: warning(
    "PW414",
    (placeholders: number, parameters: number) => ({
      message: `query has ${placeholders} placeholders, params has ${parameters}`,
      hint: "a '?' that is an operator is no placeholder; write placeholders as $1, $2",
    }),
    {
      means:
        "Every `?` or `$n` outside literals and comments takes one entry of `params`. The driver also has operators with `?`, so this may be right.",
      wrong: "query: SELECT * FROM docs WHERE tags ? 'a' AND id = $1\nparams: []",
      right: "query: SELECT * FROM docs WHERE jsonb_exists(tags, 'a') AND id = $1\nparams: [1]",
    },
  ),
  oneMember: warning(
    "PW414",
    () => ({
      message: "IN (?) takes one value, and no list",
      hint: "write IN (a|…->array_values|) in the query for a list, = ? for a value",
    }),
    {
      means: "A placeholder is one value. A list in its place is one text of JSON, which equals no row.",
      wrong: "query: SELECT * FROM users WHERE id IN (?)\nparams: [a|body::ids|]",
      right: "query: SELECT * FROM users WHERE id IN (a|body::ids->array_values|)",
    },
  ),
  markerInComment: error(
    "PW415",
    (place: string) => ({ message: `marker inside an SQL ${place}`, hint: "move it to where a value can stand" }),
    {
      means:
        "A value cannot be filled in safely in a comment or a dollar quote, nor beside a string constant or another marker, whatever blanks, line breaks and comments lie between them: the server would read both as one text.",
      wrong: "query: SELECT 1 -- a|body::note|",
      right: "query: SELECT 1",
    },
  ),
  markerBesideValue: error(
    "PW415",
    (place: string) => ({
      message: `marker ${place}`,
      hint: "put an operator such as || or a comma between them, or move the marker into the quotes",
    }),
    {
      means: "Two values never stand side by side: the server would read both as one text, or refuse them.",
      wrong: "query: SELECT E'a' a|body::note|",
      right: "query: SELECT E'a' || a|body::note|",
    },
  ),
  markerBehindCharset: error(
    "PW415",
    () => ({
      message: "marker behind a statement that may change the character set",
      hint: "leave that statement out, as texts are UTF-8; or put the marker into a query of its own",
    }),
    {
      means:
        "After a statement such as `SET NAMES`, MySQL reads another character set, in which a quote or a backslash may be a part of a letter: no literal is safe there. `SET NAMES utf8mb4` is safe.",
      wrong: "query: SET NAMES gbk; SELECT 'a|body::note|'",
      right: "query: SELECT ?\nparams: [a|body::note|]",
    },
  ),
  markerInRunText: error(
    "PW415",
    (runner: string) => ({
      message: `marker with data in a text that ${runner} runs as SQL`,
      hint: "write the statement itself with ? for the value, or quote the value in the database, as by quote_literal",
    }),
    {
      means:
        "The database runs this text as SQL, so that a value in it would be a part of a statement: its escapes only hold for the literal around it. Values of the configuration may stand in it.",
      wrong: "query: EXECUTE IMMEDIATE 'SELECT a|params::id|'",
      right: "query: EXECUTE IMMEDIATE 'SELECT ?' USING a|params::id|",
    },
  ),
  markerInCode: error(
    "PW415",
    (operator: string) => ({
      message: `data in ${operator}, which the server runs as JavaScript`,
      hint: "write the condition with operators such as $eq, or give the data in args of $function",
    }),
    {
      means:
        "MongoDB runs this text as a program, a part of which would come from the sender of the data. Values of the configuration may stand in it.",
      wrong: "filter: { $where: \"this.name == 'a|body::name|'\" }",
      right: "filter: { name: a|body::name| }",
    },
  ),
  textBesideNumber: warning(
    "PW460",
    () => ({
      message: "SQLite compares this text with a number, and takes every text for larger",
      hint: "make it a number with ->to_number, or write CAST(? AS INTEGER) in the query",
    }),
    {
      means:
        "Query and route parameters, headers and environment variables are texts. Beside a column of numbers SQLite converts a text to a number. Beside an aggregate, arithmetic or a function it does not, and a text is larger than every number: the condition is never true, or always.",
      wrong: "query: SELECT city FROM people GROUP BY city HAVING count(*) > ?\nparams: [a|params::min|]",
      right: "query: SELECT city FROM people GROUP BY city HAVING count(*) > ?\nparams: [a|params::min->to_number|]",
    },
  ),
  preferParams: warning(
    "PW416",
    () => ({ message: "prefer params to a marker in SQL", hint: "write ? in the query and the marker in params" }),
    {
      means:
        "Markers in SQL are safe: a bare marker is bound as a parameter with its type, any other becomes an escaped literal. But `params` keep the statement constant, so that the database prepares it once, and show which values it takes.",
      wrong: "query: SELECT * FROM users WHERE id = a|params::id|",
      right: "query: SELECT * FROM users WHERE id = ?\nparams: [a|params::id|]",
    },
  ),
  valueForName: warning(
    "PW499",
    (words: string) => ({
      message: `a value cannot stand for a name or a keyword behind ${words}`,
      hint: "write the names themselves, and choose by CASE: ORDER BY CASE ? WHEN 'name' THEN name ELSE email END",
    }),
    {
      means:
        "A marker or a placeholder gives a value, never the name of a table or a column, `ASC` or `DESC`: `ORDER BY ?` sorts all rows by the same constant, and elsewhere the database refuses it. A name that the configuration itself decides may be written with `->raw`.",
      wrong: "query: SELECT * FROM users ORDER BY a|params::sort|",
      right: "query: SELECT * FROM users ORDER BY CASE ? WHEN 'name' THEN name ELSE email END\nparams: [a|params::sort|]",
    },
  ),
  unknownOperation: error(
    "PW417",
    (operation: string, nearest?: string) => {
      const { words, instead } = suggestion(nearest);
      return { message: `unknown operation '${operation}'${words}`, instead };
    },
    {
      means:
        "`document_operation.operation` is one of find, findOne, aggregate, distinct, insertOne, insertMany, updateOne, updateMany, replaceOne, deleteOne, deleteMany, findOneAndUpdate, findOneAndReplace, findOneAndDelete, countDocuments, estimatedDocumentCount.",
      wrong: "document_operation: { database: a, collection: b, operation: findone }",
      right: "document_operation: { database: a, collection: b, operation: findOne }",
    },
  ),
  unknownTable: error(
    "PW462",
    (name: MissingName, isPlace: boolean) => missing("table", `the database '${name.database}' has`, name, isPlace),
    {
      means:
        "`check --database` has asked the server of a database, which has no table of this name. A migration may be missing there, or the name is misspelt. Tables that a query of the project creates are not reported.",
      wrong: "query: SELECT id, name FROM usres",
      right: "query: SELECT id, name FROM users",
    },
  ),
  unknownColumn: error(
    "PW463",
    (name: MissingName, isPlace: boolean) => missing("column", `the database '${name.database}' knows`, name, isPlace),
    {
      means: "`check --database` has asked the server of a database, where no table of the query has a column of this name.",
      wrong: "query: SELECT id, nmae FROM users",
      right: "query: SELECT id, name FROM users",
    },
  ),
  refusedQuery: error(
    "PW464",
    (database: string, message: string) => ({
      message: `the database '${database}' refuses this query: ${message}`,
      hint: "every run of it would fail in this way",
    }),
    {
      means: "`check --database` has had the server of a database prepare the query, which it refuses. The query was not run.",
      wrong: "query: SELECT count(id FROM users",
      right: "query: SELECT count(id) FROM users",
    },
  ),
  notAsked: warning(
    "PW469",
    (database: string, problem: string) => ({
      message: `the database '${database}' could not be asked: ${problem}`,
      hint: "its queries were checked by their texts alone; check without --database says no more than that",
    }),
    {
      means:
        "`check --database` asks the databases which columns the queries give. This one gave no answer in time, has no address in this environment, or is of a kind that is not asked.",
      wrong: "main: { driver: postgres, conn_string: a|env::DATABASE_URL| }  # DATABASE_URL is not set",
      right: "main: { driver: postgres, conn_string: a|env::DATABASE_URL| }  # set in the environment of check",
    },
  ),
};
