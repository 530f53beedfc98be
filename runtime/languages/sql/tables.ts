import type { Dialect } from "../../plan/dialect.ts";
import { commonNames } from "./common-names.ts";
import { SqlLexer, type SqlToken } from "./lexer.ts";
import { isSign, statementsOf, verbOf, wordAt } from "./tokens.ts";
import { isUnbounded } from "./unbounded.ts";

/**
 * A table that a query names, and the statement that touches it. `*` stands for any table or any statement, when the text does not tell
 * which.
 */
export interface TableUse {
  readonly table: string;
  readonly verb: string;
}

/** Any table, by any statement: something in the query cannot be known from its text. */
const anything: TableUse = { table: "*", verb: "*" };

/** Statements that touch no table but those of queries in them. */
const idle: ReadonlySet<string> = new Set([
  ...["begin", "start", "commit", "rollback", "end", "savepoint", "release", "abort", "set", "show", "values", "print", "signal"],
]);

/** Statements whose tables are found; any other may do anything. */
const verbs: ReadonlySet<string> = new Set([
  ...["select", "insert", "replace", "update", "delete", "merge", "truncate", "create", "alter", "drop", "with", "table", "explain"],
]);

/** The tables of a query without markers. */
export function tablesOfText(text: string, dialect: Dialect): readonly TableUse[] {
  const lexer = new SqlLexer(dialect);
  lexer.read(text, false);
  return tablesOf(lexer.tokens, dialect);
}

/**
 * The tables that a query names, each once for every verb. It never leaves out one that the text names: where a name or a statement cannot
 * be read, it says `*`. Tables behind views, functions and triggers of the database are not in the text.
 */
export function tablesOf(tokens: readonly SqlToken[], dialect: Dialect): readonly TableUse[] {
  const uses = statementsOf(tokens).flatMap((statement) => tablesOfStatement(statement, dialect));
  const all = tokens.some((token) => token.kind === "hole" && token.raw) ? [...uses, anything] : uses;
  const unique = new Map(all.map((use) => [`${use.table}\0${use.verb}`, use]));
  return [...unique.keys()].sort().flatMap((key) => unique.get(key) ?? []);
}

function tablesOfStatement(statement: readonly SqlToken[], dialect: Dialect): readonly TableUse[] {
  const verb = verbOf(statement) ?? "";
  if (!verbs.has(verb) && !idle.has(verb)) return [anything];
  const reader = new StatementReader(statement, dialect);
  return reader.read();
}

/** A query or a bracket. `verb` is undefined in a bracket without a statement, where `from` begins no clause. */
interface Level {
  /** In an `update` it is `update target` until its `set`. */
  verb: string | undefined;
  /** True while a list of tables is read: behind a comma comes the next table. */
  lists: boolean;
}

const ends: ReadonlySet<string> = new Set([
  ...["where", "group", "order", "limit", "having", "union", "intersect", "except", "window", "returning", "output", "set", "offset"],
  ...["fetch", "option", "qualify"],
]);

/** Words before `table` where it does not begin a query. */
const tableAfter: ReadonlySet<string> = new Set([
  ...["create", "alter", "drop", "truncate", "temp", "temporary", "unlogged", "external", "virtual", "global", "local", "foreign"],
  ...["into", "from", "join", "update", "delete", "only", "lock", "returns"],
]);

const joins: ReadonlySet<string> = new Set(["from", "join", "apply"]);

/** Words between a clause and the name of its table. */
const before: ReadonlySet<string> = new Set([
  ...["only", "lateral", "table", "if", "not", "exists", "ignore", "low_priority", "high_priority", "delayed", "quick", "into", "from"],
  ...["temp", "temporary", "unlogged", "global", "local", "virtual", "external"],
]);

class StatementReader {
  readonly #tokens: readonly SqlToken[];
  readonly #found: TableUse[] = [];
  /** Names that `with` gives to queries of the statement itself. */
  readonly #own: ReturnType<typeof commonNames>;
  readonly #dialect: Dialect;
  /** True when an `update` has a `from` of its own, in which its target may have another name. */
  #updatesFrom = false;
  readonly #levels: Level[] = [{ verb: undefined, lists: false }];

  constructor(tokens: readonly SqlToken[], dialect: Dialect) {
    this.#tokens = tokens;
    this.#dialect = dialect;
    this.#own = commonNames(tokens);
  }

  read(): readonly TableUse[] {
    for (let at = 0; at < this.#tokens.length; at++) {
      const token = this.#tokens[at];
      if (isUnbounded(this.#tokens, at, this.#dialect)) this.#found.push(anything);
      if (token?.kind === "word") this.#word(token.text, at);
      else if (isSign(token, "(")) this.#open(at);
      else if (isSign(token, ")")) this.#close();
      else if (isSign(token, ",") && this.#level.lists) this.#name(at + 1, this.#listed);
    }
    return this.#updatesFrom && this.#dialect === "mssql" ? [...this.#found, ...this.#renamedTargets()] : this.#found;
  }

  /** The verb of the tables in a list. */
  get #listed(): string {
    return this.#level.verb === "update target" ? "update" : "select";
  }

  /** `UPDATE p SET … FROM posts p`: the text names the changed table by an alias, so that any table may be updated. */
  #renamedTargets(): readonly TableUse[] {
    const isListed = (name: string): boolean => this.#found.some(({ table, verb }) => verb === "select" && table === name);
    return this.#found.some(({ table, verb }) => verb === "update" && !isListed(table)) ? [{ table: "*", verb: "update" }] : [];
  }

  get #level(): Level {
    return this.#levels.at(-1) ?? { verb: undefined, lists: false };
  }

  /** Opens a bracket. In a list of tables it holds more tables, or a query. */
  #open(at: number): void {
    const inList =
      this.#level.lists &&
      (isSign(this.#tokens[at - 1], ",") || joins.has(wordAt(this.#tokens, at - 1) ?? "") || isSign(this.#tokens[at - 1], "("));
    this.#levels.push({ verb: inList ? "select" : undefined, lists: inList });
    if (inList) this.#name(at + 1, "select");
  }

  #close(): void {
    if (this.#levels.length > 1) this.#levels.pop();
  }

  #word(word: string, at: number): void {
    const level = this.#level;
    const previous = wordAt(this.#tokens, at - 1) ?? "";
    if (ends.has(word)) level.lists = false;
    if (word === "set" && level.verb === "update target") level.verb = "update";
    switch (word) {
      case "select":
        level.verb = "select";
        level.lists = false;
        return;
      case "insert":
      case "replace":
      case "merge":
        if (!isSign(this.#tokens[at + 1], "(") && !["or", "then", "before", "after"].includes(previous))
          this.#change(word === "replace" ? "insert" : word, at);
        return;
      case "update":
        if (previous === "key") level.lists = false;
        if (!["for", "key", "do", "then", "on", "of", "before", "after"].includes(previous)) this.#change("update", at);
        return;
      case "delete":
        if (!["then", "on", "before", "after"].includes(previous)) this.#delete(at);
        return;
      case "truncate":
      case "create":
      case "alter":
      case "drop":
        if (at === 0 || schemaKinds.has(wordAt(this.#tokens, at + 1) ?? "")) this.#schema(word, at);
        return;
      case "table":
        if (!tableAfter.has(previous) && !isSign(this.#tokens[at + 1], "(")) this.#name(at + 1, "select");
        return;
      case "values":
        level.lists = false;
        return;
      case "into":
        if (level.verb === "select") this.#name(at + 1, "create");
        return;
      case "using":
        if ((level.verb === "delete" || level.verb === "merge") && !isSign(this.#tokens[at + 1], "(")) this.#from(at);
        return;
      case "join":
      case "apply":
      case "straight_join":
        this.#from(at);
        return;
      case "from":
        if (level.verb !== undefined && !(previous === "distinct" && isComparison(this.#tokens, at - 2))) this.#from(at);
    }
  }

  #from(at: number): void {
    const level = this.#level;
    if (level.verb === "update") this.#updatesFrom = true;
    const isTarget = level.verb === "delete target" && wordAt(this.#tokens, at) === "from";
    if (isTarget) level.verb = "delete";
    level.lists = true;
    this.#name(at + 1, isTarget ? "delete" : this.#listed);
  }

  /** `INSERT INTO t`, `UPDATE t`, `MERGE INTO t`, with words in between that say how. */
  #change(verb: string, at: number): void {
    this.#level.verb = verb === "update" ? "update target" : verb;
    this.#level.lists = verb === "update";
    const way = wordAt(this.#tokens, at + 1) === "or" ? 2 : 0;
    this.#name(at + 1 + way, verb);
  }

  /** `DELETE FROM t`, and `DELETE t FROM t JOIN …`, where `t` may be an alias of a table that is listed later. */
  #delete(at: number): void {
    const level = this.#level;
    level.lists = false;
    level.verb = "delete target";
    const next = wordAt(this.#tokens, at + 1) ?? "";
    if (next === "from" || before.has(next)) return;
    level.verb = "delete";
    this.#found.push({ table: "*", verb: "delete" });
  }

  /** `CREATE INDEX i ON t` changes the table; any other object beside tables, views and indexes may do anything. */
  #schema(verb: string, at: number): void {
    const kind = this.#tokens.slice(at + 1).find((token) => token.kind === "word" && schemaKinds.has(token.text));
    const place = kind === undefined ? -1 : this.#tokens.indexOf(kind);
    const name = kind?.kind === "word" ? kind.text : "";
    if (verb === "truncate") this.#list(name === "table" ? place + 1 : at + 1, verb);
    else if (name === "table" || name === "view") this.#list(place + 1, verb);
    else if (name === "index") {
      const on = this.#tokens.findIndex((token, i) => i > place && token.kind === "word" && token.text === "on");
      if (on < 0) this.#found.push({ table: "*", verb });
      else this.#name(on + 1, verb);
    } else this.#found.push(routines.has(name) || name === "" ? anything : { table: "*", verb });
  }

  /** Several tables may be dropped or emptied at once. */
  #list(from: number, verb: string): void {
    let at = this.#name(from, verb);
    while (verb !== "create" && isSign(this.#tokens[at], ",")) at = this.#name(at + 1, verb);
  }

  /**
   * Reads the name of a table; the result is the place behind the name. A bracket holds a query, and a name before a bracket is a function.
   */
  #name(from: number, verb: string): number {
    let at = from;
    while (before.has(wordAt(this.#tokens, at) ?? "")) at += 1;
    if (wordAt(this.#tokens, at - 1) === "only" && isSign(this.#tokens[at], "(")) at += 1;
    const token = this.#tokens[at];
    if (isSign(token, "(") || (token?.kind === "word" && (token.text === "select" || token.text === "values"))) return at;
    const parts: string[] = [];
    let isKnown = true;
    for (; ; at += 2) {
      const part = this.#tokens[at];
      if (part?.kind === "word" || (part?.kind === "name" && part.text !== undefined)) parts.push(part.text ?? "");
      else isKnown = false;
      if (!isSign(this.#tokens[at + 1], ".")) break;
    }
    const name = isKnown ? parts.join(".") : "*";
    const isFunction = verb === "select" && isSign(this.#tokens[at + 1], "(");
    if (!isFunction && !(verb === "select" && this.#own.some((own) => own.name === name && own.from <= from && from < own.until)))
      this.#found.push({ table: name, verb });
    return at + 1;
  }
}

const schemaKinds: ReadonlySet<string> = new Set([
  ...["table", "view", "index", "function", "procedure", "trigger", "sequence", "type", "schema", "database", "extension", "role", "user"],
  ...["domain", "policy", "rule", "event", "login", "server", "publication", "subscription"],
]);

/** Kinds of objects whose bodies may do anything. */
const routines: ReadonlySet<string> = new Set(["function", "procedure", "trigger", "rule", "event"]);

/** `IS DISTINCT FROM`, `IS NOT DISTINCT FROM`. */
const isComparison = (tokens: readonly SqlToken[], at: number): boolean => ["is", "not"].includes(wordAt(tokens, at) ?? "");
