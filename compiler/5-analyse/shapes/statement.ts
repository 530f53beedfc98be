import { SqlLexer, type SqlToken } from "#runtime/languages/sql/lexer.ts";
import { isSign, statementsOf, wordAt } from "#runtime/languages/sql/tokens.ts";
import type { Dialect } from "#runtime/plan/dialect.ts";
import type { Expr, TextPart } from "#runtime/plan/index.ts";
import { isUnset, itemsOf, member } from "../capabilities/member.ts";

/** One statement that a server can describe, without any value of a run. */
export interface Statement {
  readonly text: string;
  readonly tokens: readonly SqlToken[];
  /** True when the statement has placeholders. `typed` is true when their values are sent with types of their own. */
  readonly placeholders: boolean;
  readonly typed: boolean;
  /** True when a constant replaces a value that a run writes into the text. */
  readonly filled: boolean;
  /** True when the columns come from several queries, as in a `UNION`. */
  readonly compound: boolean;
  /** True when a column that is never null in its table is also never null in a row. */
  readonly plain: boolean;
}

/** The statement of a query; undefined when its text depends on data, or holds several statements. */
export function statementOf(args: Expr, dialect: Dialect): Statement | undefined {
  const query = member(args, "query");
  const parts = query.op === "text" ? query.parts : query.op === "lit" && typeof query.value === "string" ? [query.value] : [];
  const texts = parts.map(constantFor);
  if (parts.length === 0 || texts.some((text) => text === undefined) || isBatch(args)) return undefined;
  const text = texts.join("");
  const tokens = tokensOfQuery({ op: "lit", value: text }, dialect);
  if (statementsOf(tokens).length !== 1) return undefined;
  const typed = itemsOf(member(args, "values")).some((value) => !isUnset(value));
  return {
    text,
    tokens,
    typed,
    placeholders: typed || itemsOf(member(args, "params")).some((value) => !isUnset(value)) || tokens.some(({ kind }) => kind === "mark"),
    filled: parts.some((part) => typeof part !== "string"),
    compound: hasWord(tokens, compounds),
    plain: !hasWord(tokens, compounds) && !hasWord(tokens, extending) && !callsFunction(tokens) && !nests(tokens),
  };
}

const isBatch = (args: Expr): boolean => {
  const multi = member(args, "multi");
  return multi.op === "lit" && multi.value === true;
};

/** A constant in the place of a value; undefined where data may be more than a value. */
function constantFor(part: TextPart): string | undefined {
  if (typeof part === "string") return part;
  if (part.fill === "sql_value") return "NULL";
  return part.fill === "sql_string" ? "" : undefined;
}

/** The tokens of the text of a query, with holes where values stand. */
export function tokensOfQuery(query: Expr, dialect: Dialect): readonly SqlToken[] {
  const lexer = new SqlLexer(dialect);
  const parts = query.op === "lit" ? [String(query.value)] : query.op === "text" ? query.parts : [];
  parts.forEach((part, i) => {
    if (typeof part === "string") lexer.read(part, i < parts.length - 1);
    else lexer.hole(i, part.fill === "raw");
  });
  return lexer.tokens;
}

const compounds: ReadonlySet<string> = new Set(["union", "except", "intersect", "minus"]);

/** Words of statements whose rows may have nulls that the table does not have: outer joins, subtotals, the row before a change. */
const extending: ReadonlySet<string> = new Set([
  ...["left", "right", "full", "outer", "natural", "apply", "rollup", "cube", "grouping", "sets", "having", "old", "new", "merge"],
]);

const hasWord = (tokens: readonly SqlToken[], words: ReadonlySet<string>): boolean =>
  tokens.some((_, at) => words.has(wordAt(tokens, at) ?? ""));

/** Words before a bracket that is no call. An aggregate without groups gives a row even if the table has none. */
const beforeBracket: ReadonlySet<string> = new Set([
  ...["select", "from", "join", "on", "where", "and", "or", "not", "in", "exists", "any", "all", "some", "as", "by", "values", "using"],
  ...["like", "between", "when", "then", "else", "case", "limit", "offset", "returning", "distinct"],
]);

/** True when a query contains another query, which may give no row. */
const nests = (tokens: readonly SqlToken[]): boolean => tokens.filter((_, at) => wordAt(tokens, at) === "select").length > 1;

const callsFunction = (tokens: readonly SqlToken[]): boolean =>
  tokens.some((token, at) => isSign(token, "(") && tokens[at - 1]?.kind === "word" && !beforeBracket.has(wordAt(tokens, at - 1) ?? ""));
