import { deepest, NotRead, type Plain, type Quoted, type Token } from "./tokens.ts";
import type { Jq } from "./tree.ts";

/** The parts of the grammar that contain each other. */
export interface Grammar {
  readonly pipe: (reader: Reader) => Jq;
  /** Reads a filter that may stand between commas. */
  readonly member: (reader: Reader) => Jq;
}

/** Reads the tokens of a filter, with one token of lookahead. */
export class Reader {
  readonly grammar: Grammar;
  readonly #tokens: readonly Token[];
  readonly #depth: number;
  #at = 0;
  #nesting = 0;

  constructor(tokens: readonly Token[], grammar: Grammar, depth = 0) {
    if (depth > deepest) throw new NotRead("too deeply nested", tokens[0]?.start ?? 0);
    this.#tokens = tokens;
    this.#depth = depth;
    this.grammar = grammar;
  }

  get next(): Token | undefined {
    return this.#tokens[this.#at];
  }

  get start(): number {
    return this.next?.start ?? this.#tokens.at(-1)?.end ?? 0;
  }

  end(): void {
    if (this.next !== undefined) this.fail("unexpected text");
  }

  /** The offset behind the last token that was taken. */
  get behind(): number {
    return this.#tokens[this.#at - 1]?.end ?? 0;
  }

  /** Takes the symbol if it comes next. */
  symbol(text: string): boolean {
    return this.#is("symbol", text) && this.#advance();
  }

  /** Takes the keyword if it comes next. */
  word(text: string): boolean {
    return this.#is("word", text) && this.#advance();
  }

  peek(kind: Token["kind"], text?: string): boolean {
    return text === undefined ? this.next?.kind === kind : this.#is(kind, text);
  }

  expect(symbol: string): void {
    if (!this.symbol(symbol)) this.fail(`'${symbol}' is missing`);
  }

  expectWord(word: string): void {
    if (!this.word(word)) this.fail(`'${word}' is missing`);
  }

  /** The name of a variable, if one comes next. */
  variable(): string | undefined {
    return this.#text("variable")?.slice(1);
  }

  takeWord(): string {
    return this.#text("word") ?? this.fail("a name is missing");
  }

  /** A token of the kind, if it comes next. */
  take(kind: Plain["kind"]): Plain | undefined {
    const token = this.next;
    if (token === undefined || token.kind === "string" || token.kind !== kind) return undefined;
    this.#advance();
    return token;
  }

  takeString(): Quoted | undefined {
    const token = this.next;
    if (token?.kind !== "string") return undefined;
    this.#advance();
    return token;
  }

  separated<T>(symbol: string, item: () => T): T[] {
    const items = [item()];
    while (this.symbol(symbol)) items.push(item());
    return items;
  }

  /** Reads a separate filter, for example one that is interpolated into a string. */
  inner(tokens: readonly Token[]): Jq {
    const reader = new Reader(tokens, this.grammar, this.#depth + this.#nesting + 1);
    const read = this.grammar.pipe(reader);
    reader.end();
    return read;
  }

  /** Reads with a bound on the depth of the grammar. */
  nested<T>(read: () => T): T {
    this.#nesting += 1;
    if (this.#nesting + this.#depth > deepest) this.fail("too deeply nested");
    const done = read();
    this.#nesting -= 1;
    return done;
  }

  fail(reason: string): never {
    throw new NotRead(reason, this.start);
  }

  #is(kind: Token["kind"], text: string): boolean {
    const token = this.next;
    return token !== undefined && token.kind === kind && "text" in token && token.text === text;
  }

  #text(kind: Plain["kind"]): string | undefined {
    return this.take(kind)?.text;
  }

  #advance(): true {
    this.#at += 1;
    return true;
  }
}
