/** Words of other tools for values that are one of a list, by the key of the value. */
const words: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  driver: { pg: "postgres", pgsql: "postgres", psql: "postgres", mariadb: "mysql", sqlserver: "mssql" },
  operation: {
    download: "get",
    read: "get",
    upload: "put",
    write: "put",
    ls: "list",
    dir: "list",
    rm: "delete",
    remove: "delete",
    mv: "rename",
    move: "rename",
  },
  output: { json: "http", rest: "http", console: "cli", stdout: "cli", silent: "none" },
  respond: { async: "early", immediately: "early", sync: "late" },
  capture: { always: "all", failures: "errors", never: "off" },
  kind: { env: "local", file: "local", hashicorp: "vault", kms: "aws-kms" },
};

/** The word of ours among `known` that a word of another tool means. */
export function foreignValue(key: string, word: string, known: readonly string[]): string | undefined {
  const table = Object.hasOwn(words, key) ? words[key] : undefined;
  const text = word.toLowerCase();
  const meant = table !== undefined && Object.hasOwn(table, text) ? table[text] : undefined;
  return meant !== undefined && known.includes(meant) ? meant : undefined;
}
