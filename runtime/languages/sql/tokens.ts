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

/** The place of the bracket that is open around a token, or -1. */
export function openBefore(tokens: readonly SqlToken[], at: number): number {
  let depth = 0;
  for (let i = at - 1; i >= 0; i--) {
    if (isSign(tokens[i], ")")) depth += 1;
    else if (isSign(tokens[i], "(")) {
      if (depth === 0) return i;
      depth -= 1;
    }
  }
  return -1;
}

/** The index of the bracket that closes the one at `open`; the index behind the last token when there is none. */
export function closeOf(tokens: readonly SqlToken[], open: number): number {
  let depth = 0;
  for (let i = open; i < tokens.length; i++) {
    if (isSign(tokens[i], "(")) depth += 1;
    else if (isSign(tokens[i], ")")) {
      depth -= 1;
      if (depth === 0) return i;
    }
  }
  return tokens.length;
}

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
