import type { Dialect } from "#runtime/plan/dialect.ts";

// This file finds the columns of a query, as far as its text names them.

/** A token outside brackets. Brackets with their content are one token `(`. */
export interface Token {
  readonly kind: "word" | "name" | "other";
  readonly text: string;
}

const common =
  /\s+|(?<string>'[^'\\]*')|(?<word>[A-Za-z_]\w*)|(?<name>NAME)|(?<number>[$@?]?\d[\w.]*|@[pP]\d+)|(?<other>[(),;.*=<>!+%?:|&~^/-])/y
    .source;

/** The quotes for names in each dialect. A quote that may also begin a string is left out. */
const quoted: Readonly<Record<Dialect, string>> = {
  postgres: '"[^"]*"',
  mysql: "`[^`]*`",
  mssql: '"[^"]*"|\\[[^\\]]*\\]',
  sqlite: '"[^"]*"|`[^`]*`|\\[[^\\]]*\\]',
};

/** The tokens of a query. Undefined when the text is no plain query: it has comments, escapes, or several statements. */
export function tokensOf(sql: string, dialect: Dialect): readonly Token[] | undefined {
  if (/--|\/\*|;\s*\S/.test(sql)) return undefined;
  const pattern = new RegExp(common.replace("NAME", quoted[dialect]), "y");
  const tokens: Token[] = [];
  let depth = 0;
  while (pattern.lastIndex < sql.length) {
    const groups = pattern.exec(sql)?.groups;
    if (groups === undefined) return undefined;
    const { word, name, string, number, other } = groups;
    if (other === ")") depth -= 1;
    else if (depth === 0 && word !== undefined) tokens.push({ kind: "word", text: word });
    else if (depth === 0 && name !== undefined) tokens.push({ kind: "name", text: name.slice(1, -1) });
    else if (depth === 0 && (other ?? string ?? number) !== undefined) tokens.push({ kind: "other", text: other ?? "?" });
    if (other === "(") depth += 1;
  }
  return depth === 0 ? tokens : undefined;
}

export const isWord = ({ kind, text }: Token, ...words: readonly string[]): boolean =>
  kind === "word" && words.includes(text.toLowerCase());

/** The items of the list behind `SELECT`, or behind the `RETURNING` of a statement that writes. */
export function listIn(tokens: readonly Token[]): readonly (readonly Token[])[] | undefined {
  const writes = tokens.some((token) => isWord(token, "insert", "update", "delete", "replace", "merge"));
  const start = tokens.findIndex((token) => isWord(token, writes ? "returning" : "select"));
  if (start < 0) return undefined;
  const items: Token[][] = [[]];
  for (const token of tokens.slice(start + 1)) {
    if (isWord(token, "from", "where", "group", "having", "order", "limit", "union", "except", "intersect", "into", "for")) break;
    if (token.text === ";") break;
    if (token.kind === "other" && token.text === ",") items.push([]);
    else items.at(-1)?.push(token);
  }
  items[0] = withoutQuantity(items[0] ?? []);
  return items;
}

/** The item without `DISTINCT` and without SQL Server's `TOP 5` or `TOP (5)`. */
function withoutQuantity(item: readonly Token[]): Token[] {
  const [head, ...rest] = item;
  if (head === undefined || rest.length === 0 || !isWord(head, "distinct", "all", "top")) return [...item];
  return rest[0]?.kind === "other" ? rest.slice(1) : rest;
}

/** `AS name`, or the last part of `schema.table.name`; empty when the database chooses the name. */
export function nameOf(item: readonly Token[], dialect: Dialect): string {
  const last = item.at(-1);
  if (last === undefined || last.kind === "other") return "";
  const isColumn = item.every(({ kind, text }, i) => (i % 2 === 0 ? kind !== "other" : text === "."));
  if (!hasAlias(item) && !isColumn) return "";
  if (dialect !== "postgres") return last.text;
  const isCut = Buffer.byteLength(last.text) > longestOfPostgres;
  return isCut ? "" : last.kind === "word" ? last.text.toLowerCase() : last.text;
}

const longestOfPostgres = 63;

/** True when the query names the column with an alias. */
export function hasAlias(item: readonly Token[]): boolean {
  const before = item.at(-2);
  return before !== undefined && isWord(before, "as");
}
