import type { SqlToken } from "./lexer.ts";

// Functions that look at the tokens of SQL.

export const wordAt = (tokens: readonly SqlToken[], at: number): string | undefined => {
  const token = tokens[at];
  return token?.kind === "word" ? token.text : undefined;
};

/** A word, or a name in quotes in small letters. */
export const nameAt = (tokens: readonly SqlToken[], at: number): string | undefined => {
  const token = tokens[at];
  return token?.kind === "name" ? token.text?.toLowerCase() : wordAt(tokens, at);
};

export const isSign = (token: SqlToken | undefined, text: string): boolean => token?.kind === "sign" && token.text === text;

/** Makes a function that finds its answer once for each list of tokens, because every value of a long query asks for it. */
export function foundOnce<Answer>(find: (tokens: readonly SqlToken[]) => Answer): (tokens: readonly SqlToken[]) => Answer {
  const answers = new WeakMap<readonly SqlToken[], Answer>();
  return (tokens) => {
    let answer = answers.get(tokens);
    if (answer === undefined) {
      answer = find(tokens);
      answers.set(tokens, answer);
    }
    return answer;
  };
}

/** Tokens that belong together as two brackets do. */
export interface Pairs {
  /** For each token, and for the end of the list, the index of the opening token around it, or -1. */
  readonly around: Int32Array;
  /** The index of the closing token for each opening one. Without one, and for all other tokens, it is the length of the list. */
  readonly closing: Int32Array;
}

/** Finds pairs; `side` says of a token whether it opens or closes one. */
export function pairsOf(tokens: readonly SqlToken[], side: (token: SqlToken) => "opens" | "closes" | undefined): Pairs {
  const around = new Int32Array(tokens.length + 1);
  const closing = new Int32Array(tokens.length).fill(tokens.length);
  let open = -1;
  for (const [at, token] of tokens.entries()) {
    around[at] = open;
    const its = side(token);
    if (its === "opens") open = at;
    if (its !== "closes" || open < 0) continue;
    closing[open] = at;
    open = around[open] ?? -1;
  }
  around[tokens.length] = open;
  return { around, closing };
}

const bracketsOf = /* @__PURE__ */ foundOnce((tokens) =>
  pairsOf(tokens, (token) => (isSign(token, "(") ? "opens" : isSign(token, ")") ? "closes" : undefined)),
);

/** The place of the bracket that is open around a token, or -1. */
export const openBefore = (tokens: readonly SqlToken[], at: number): number => bracketsOf(tokens).around[at] ?? -1;

/** The index of the bracket that closes the one at `open`; the index behind the last token when there is none. */
export const closeOf = (tokens: readonly SqlToken[], open: number): number => bracketsOf(tokens).closing[open] ?? tokens.length;

/** The statements of a query, without empty ones. */
export function statementsOf(tokens: readonly SqlToken[]): readonly (readonly SqlToken[])[] {
  const statements: SqlToken[][] = [[]];
  for (const token of tokens) {
    if (isSign(token, ";")) statements.push([]);
    else statements.at(-1)?.push(token);
  }
  return statements.filter((statement) => statement.length > 0);
}

/** The word that says what a statement does, brackets before it aside. */
export function verbOf(statement: readonly SqlToken[]): string | undefined {
  const first = statement.findIndex((token) => !isSign(token, "("));
  return wordAt(statement, first);
}
