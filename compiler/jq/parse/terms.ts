import { patterns } from "./patterns.ts";
import type { Reader } from "./reader.ts";
import { readString } from "./strings.ts";
import type { Jq } from "./tree.ts";

/** Reads a term with the steps after it: `.a[0].b?`. A minus applies to one term, and binds tighter than any operator. */
export function term(reader: Reader): Jq {
  return reader.nested(() => {
    const { start } = reader;
    if (reader.symbol("-")) {
      const of = term(reader);
      return { kind: "negate", of, start, end: of.end };
    }
    let of = first(reader);
    for (;;) {
      const next = step(of, reader);
      if (next === undefined) return of;
      of = next;
    }
  });
}

function step(of: Jq, reader: Reader): Jq | undefined {
  const { start } = of;
  const field = reader.take("field");
  if (field !== undefined) {
    const key: Jq = { kind: "string", parts: [field.text.slice(1)], start: field.start, end: field.end };
    return { kind: "index", of, key, optional: reader.symbol("?"), start, end: reader.behind };
  }
  if (reader.symbol("?")) return { kind: "try", body: of, start, end: reader.behind };
  if (reader.peek("symbol", "[")) return bracket(of, reader);
  if (!reader.symbol(".")) return undefined;
  if (reader.peek("symbol", "[")) return bracket(of, reader);
  const key = readString(reader);
  return { kind: "index", of, key, optional: reader.symbol("?"), start, end: reader.behind };
}

/** Reads a step in brackets: `[]`, `[f]`, `[f:g]`, `[f:]`, `[:g]`. */
function bracket(of: Jq, reader: Reader): Jq {
  const { start } = of;
  const closed = (): { readonly optional: boolean; readonly start: number; readonly end: number } => {
    reader.expect("]");
    const optional = reader.symbol("?");
    return { optional, start, end: reader.behind };
  };
  reader.expect("[");
  if (reader.peek("symbol", "]")) return { kind: "iterate", of, ...closed() };
  if (reader.symbol(":")) return { kind: "slice", of, to: reader.grammar.pipe(reader), ...closed() };
  const from = reader.grammar.pipe(reader);
  if (!reader.symbol(":")) return { kind: "index", of, key: from, ...closed() };
  if (reader.peek("symbol", "]")) return { kind: "slice", of, from, ...closed() };
  return { kind: "slice", of, from, to: reader.grammar.pipe(reader), ...closed() };
}

function first(reader: Reader): Jq {
  const { start } = reader;
  const at = (): { readonly start: number; readonly end: number } => ({ start, end: reader.behind });
  const number = reader.take("number");
  if (number !== undefined) return { kind: "literal", value: Number(number.text), written: number.text, ...at() };
  if (reader.peek("string")) return readString(reader);
  const format = reader.take("format");
  if (format !== undefined) return reader.peek("string") ? readString(reader, format.text) : { kind: "format", name: format.text, ...at() };
  const field = reader.take("field");
  if (field !== undefined) {
    const key: Jq = { kind: "string", parts: [field.text.slice(1)], ...at() };
    return { kind: "index", of: { kind: "identity", start, end: start }, key, optional: reader.symbol("?"), ...at() };
  }
  const variable = reader.variable();
  if (variable !== undefined) return { kind: "variable", name: variable, ...at() };
  if (reader.symbol("..")) return { kind: "recurse", ...at() };
  if (reader.symbol(".")) return dot(reader, start);
  if (reader.symbol("(")) {
    const inner = reader.grammar.pipe(reader);
    reader.expect(")");
    return { ...inner, ...at() };
  }
  if (reader.symbol("[")) return list(reader, start);
  if (reader.symbol("{")) return object(reader, start);
  return keyword(reader, start);
}

/** Reads `.`; in `."a"` and `.[` the rest is a step of it. */
function dot(reader: Reader, start: number): Jq {
  const of: Jq = { kind: "identity", start, end: reader.behind };
  if (!reader.peek("string")) return of;
  const key = readString(reader);
  return { kind: "index", of, key, optional: reader.symbol("?"), start, end: reader.behind };
}

function list(reader: Reader, start: number): Jq {
  if (reader.symbol("]")) return { kind: "list", start, end: reader.behind };
  const items = reader.grammar.pipe(reader);
  reader.expect("]");
  return { kind: "list", items, start, end: reader.behind };
}

function object(reader: Reader, start: number): Jq {
  const entries: { key: Jq; value: Jq }[] = [];
  while (!reader.symbol("}")) {
    entries.push(entry(reader));
    if (!reader.symbol(",")) {
      reader.expect("}");
      break;
    }
  }
  return { kind: "object", entries, start, end: reader.behind };
}

/** Reads a member. Its value is a filter that may stand between commas. */
function entry(reader: Reader): { key: Jq; value: Jq } {
  const { start } = reader;
  const at = (): { readonly start: number; readonly end: number } => ({ start, end: reader.behind });
  const variable = reader.variable();
  if (variable !== undefined) {
    if (reader.peek("symbol", ":")) reader.fail("a variable as key");
    const value: Jq = { kind: "variable", name: variable, ...at() };
    return { key: { kind: "string", parts: [variable], ...at() }, value };
  }
  if (reader.symbol("(")) {
    const key = reader.grammar.pipe(reader);
    reader.expect(")");
    reader.expect(":");
    return { key, value: member(reader) };
  }
  const format = reader.take("format");
  const key: Jq =
    format !== undefined || reader.peek("string")
      ? readString(reader, format?.text)
      : { kind: "string", parts: [reader.takeWord()], ...at() };
  if (reader.symbol(":")) return { key, value: member(reader) };
  return { key, value: { kind: "index", of: { kind: "identity", ...at() }, key, optional: false, ...at() } };
}

function member(reader: Reader): Jq {
  const left = reader.grammar.member(reader);
  if (!reader.symbol("|")) return left;
  const right = member(reader);
  return { kind: "pipe", left, right, start: left.start, end: right.end };
}

function keyword(reader: Reader, start: number): Jq {
  if (reader.word("if")) return condition(reader, start);
  if (reader.word("try")) {
    const body = term(reader);
    if (!reader.word("catch")) return { kind: "try", body, start, end: body.end };
    const handler = term(reader);
    return { kind: "try", body, handler, start, end: handler.end };
  }
  if (reader.word("reduce")) {
    const { source, pattern, parts } = fold(reader);
    const [initial, update, more] = parts;
    if (initial === undefined || update === undefined || more !== undefined) return reader.fail("reduce takes two filters");
    return { kind: "reduce", source, pattern, initial, update, start, end: reader.behind };
  }
  if (reader.word("foreach")) {
    const { source, pattern, parts } = fold(reader);
    const [initial, update, extract, more] = parts;
    if (initial === undefined || update === undefined || more !== undefined) return reader.fail("foreach takes two or three filters");
    return {
      kind: "foreach",
      source,
      pattern,
      initial,
      update,
      ...(extract === undefined ? {} : { extract }),
      start,
      end: reader.behind,
    };
  }
  return call(reader, start);
}

function fold(reader: Reader): { readonly source: Jq; readonly pattern: ReturnType<typeof patterns>; readonly parts: readonly Jq[] } {
  const source = reader.grammar.member(reader);
  reader.expectWord("as");
  const pattern = patterns(reader);
  reader.expect("(");
  const parts = reader.separated(";", () => reader.grammar.pipe(reader));
  reader.expect(")");
  return { source, pattern, parts };
}

function condition(reader: Reader, start: number): Jq {
  const test = reader.grammar.pipe(reader);
  reader.expectWord("then");
  const yes = reader.grammar.pipe(reader);
  const elif = reader.start;
  if (reader.word("elif")) {
    const no = reader.nested(() => condition(reader, elif));
    return { kind: "if", test, yes, no, start, end: reader.behind };
  }
  const no = reader.word("else") ? reader.grammar.pipe(reader) : undefined;
  reader.expectWord("end");
  return { kind: "if", test, yes, ...(no === undefined ? {} : { no }), start, end: reader.behind };
}

const keywords: ReadonlySet<string> = new Set(
  "import include module def if then else elif end and or reduce foreach try catch label as __loc__ break".split(" "),
);

function call(reader: Reader, start: number): Jq {
  const name = reader.takeWord();
  if (keywords.has(name)) reader.fail(`unexpected '${name}'`);
  const at = (): { readonly start: number; readonly end: number } => ({ start, end: reader.behind });
  if (name === "null") return { kind: "literal", value: null, ...at() };
  if (name === "true" || name === "false") return { kind: "literal", value: name === "true", ...at() };
  if (!reader.symbol("(")) return { kind: "call", name, args: [], ...at() };
  const args = reader.separated(";", () => reader.grammar.pipe(reader));
  reader.expect(")");
  return { kind: "call", name, args, ...at() };
}
