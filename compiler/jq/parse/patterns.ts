import type { Reader } from "./reader.ts";
import { readString } from "./strings.ts";
import type { Jq, Pattern, PatternEntry } from "./tree.ts";

/** Reads the pattern after `as`. Alternatives (`?//`) are not read. */
export function patterns(reader: Reader): Pattern {
  if (reader.symbol("[")) {
    const items = reader.separated(",", () => patterns(reader));
    reader.expect("]");
    return { kind: "list", items };
  }
  if (reader.symbol("{")) {
    const entries = reader.separated(",", () => entry(reader));
    reader.expect("}");
    return { kind: "object", entries };
  }
  const name = reader.variable() ?? reader.fail("a variable is missing");
  return { kind: "variable", name };
}

function entry(reader: Reader): PatternEntry {
  const { start } = reader;
  const variable = reader.variable();
  if (variable !== undefined) {
    const key = text(variable, start, reader.behind);
    return reader.symbol(":") ? { key, variable, pattern: patterns(reader) } : { key, variable };
  }
  const key = patternKey(reader);
  reader.expect(":");
  return { key, pattern: patterns(reader) };
}

function patternKey(reader: Reader): Jq {
  const { start } = reader;
  if (reader.symbol("(")) {
    const key = reader.grammar.pipe(reader);
    reader.expect(")");
    return key;
  }
  return reader.peek("string") ? readString(reader) : text(reader.takeWord(), start, reader.behind);
}

const text = (value: string, start: number, end: number): Jq => ({ kind: "string", parts: [value], start, end });
