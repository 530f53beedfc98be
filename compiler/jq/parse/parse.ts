import { patterns } from "./patterns.ts";
import { Reader } from "./reader.ts";
import { term } from "./terms.ts";
import { tokens } from "./tokens.ts";
import type { Jq, Operator } from "./tree.ts";

/**
 * Reads a filter by the grammar of jq 1.8. Throws `NotRead` for unknown syntax. The filter may still be right, which only jq itself
 * decides.
 */
export function parseJq(text: string): Jq {
  const reader = new Reader(tokens(text), { pipe, member: alternative });
  const read = pipe(reader);
  reader.end();
  return read;
}

/** Reads `|`, the operator with the loosest binding, whose right side reaches to the end. */
function pipe(reader: Reader): Jq {
  return reader.nested(() => {
    const left = comma(reader);
    if (!reader.symbol("|")) return left;
    const right = pipe(reader);
    return { kind: "pipe", left, right, start: left.start, end: right.end };
  });
}

function define(reader: Reader): Jq {
  const { start } = reader;
  const name = reader.takeWord();
  const params = reader.symbol("(") ? reader.separated(";", () => reader.variable() ?? reader.takeWord()) : [];
  if (params.length > 0) reader.expect(")");
  reader.expect(":");
  const body = pipe(reader);
  reader.expect(";");
  const rest = pipe(reader);
  return { kind: "define", name, params, body, rest, start, end: rest.end };
}

function comma(reader: Reader): Jq {
  let left = item(reader);
  while (reader.symbol(",")) {
    const right = item(reader);
    left = { kind: "comma", left, right, start: left.start, end: right.end };
  }
  return left;
}

/** Reads a filter between commas. Definitions, labels and `as` apply to the whole rest of the filter. */
function item(reader: Reader): Jq {
  const { start } = reader;
  if (reader.word("def")) return define(reader);
  if (reader.word("label")) {
    const name = reader.variable() ?? reader.fail("a label without a name");
    reader.expect("|");
    const body = pipe(reader);
    return { kind: "label", name, body, start, end: body.end };
  }
  const source = alternative(reader);
  if (!reader.word("as")) return source;
  const pattern = patterns(reader);
  reader.expect("|");
  const body = pipe(reader);
  return { kind: "bind", source, pattern, body, start, end: body.end };
}

/** Reads `//`, which binds to the right, and looser than assignments. */
function alternative(reader: Reader): Jq {
  const left = assignment(reader);
  if (!reader.symbol("//")) return left;
  const right = alternative(reader);
  return { kind: "binary", operator: "//", left, right, start: left.start, end: right.end };
}

const assignments = ["=", "|=", "+=", "-=", "*=", "/=", "%=", "//="];

function assignment(reader: Reader): Jq {
  const left = binary(reader, 0);
  const operator = assignments.find((symbol) => reader.symbol(symbol));
  if (operator === undefined) return left;
  const right = binary(reader, 0);
  return { kind: "assign", operator: operator.slice(0, -1), left, right, start: left.start, end: right.end };
}

/** The levels of operators, from loose to tight. Comparisons cannot be chained. */
const levels: readonly { readonly operators: readonly Operator[]; readonly once?: true }[] = [
  { operators: ["or"] },
  { operators: ["and"] },
  { operators: ["==", "!=", "<=", ">=", "<", ">"], once: true },
  { operators: ["+", "-"] },
  { operators: ["*", "/", "%"] },
];

function binary(reader: Reader, level: number): Jq {
  const { operators, once } = levels[level] ?? { operators: [] };
  if (operators.length === 0) return term(reader);
  let left = binary(reader, level + 1);
  for (;;) {
    const operator = operators.find((each) => (/\w/.test(each) ? reader.word(each) : reader.symbol(each)));
    if (operator === undefined) return left;
    const right = binary(reader, level + 1);
    left = { kind: "binary", operator, left, right, start: left.start, end: right.end };
    if (once) return left;
  }
}
