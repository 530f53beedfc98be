import { type Words, wordsFor } from "./words.ts";

/** Words for values that are one of a list, by the key of the value. */
const values: ReadonlyMap<string, Words> = new Map(
  Object.entries({
    data_type: wordsFor({ json: "application/json", csv: "text/csv", xml: "application/xml", text: "text/plain" }),
    driver: wordsFor({ postgres: "pg pgsql psql", mysql: "mariadb", mssql: "sqlserver" }),
    method: wordsFor({ ANY: "all *" }),
    operation: wordsFor({ get: "download read", put: "upload write", list: "ls dir", delete: "rm remove", rename: "mv move" }),
    output: wordsFor({ http: "json rest", cli: "console stdout", none: "silent" }),
    respond: wordsFor({ early: "async immediately", late: "sync" }),
    capture: wordsFor({ all: "always", errors: "failures", off: "never" }),
    kind: wordsFor({ local: "env file", vault: "hashicorp", "aws-kms": "kms" }),
  }),
);

/** The value among `known` that a word of another tool means; undefined for any other word. */
export function valueFor(key: string, word: string, known: readonly string[]): string | undefined {
  const meant = values.get(key)?.get(word.toLowerCase());
  return meant !== undefined && known.includes(meant) ? meant : undefined;
}
