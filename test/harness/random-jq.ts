import fc from "fast-check";
import type { Json } from "#runtime/json.ts";

const names = ["a", "b", "k"];
const step = fc.oneof(
  fc.constantFrom(...names).map((name) => `.${name}`),
  fc.constantFrom(".[0]", ".[-1]", '.["a"]', ".[1:]", ".[:-1]", ".[0:1]"),
);
const path = fc.oneof(
  fc.constant("."),
  fc.array(step, { minLength: 1, maxLength: 3 }).map((steps) => steps.join("").replace(/(?<=.)\.\[/g, "[")),
  step.map((one) => `${one}?`),
);
const literal = fc.constantFrom("null", "true", "false", "0", "1", "2", "-1", "0.5", '""', '"a"', '"b"', '"a,b"', "[]", "{}", "[1,2]");
const words =
  "length keys keys_unsorted add any all not type to_entries from_entries sort unique min max reverse flatten tostring tonumber tojson fromjson abs ascii_downcase ascii_upcase trim floor ceil round first last error @base64 @uri @text @json".split(
    " ",
  );
const lists = [".[]", ".[]?", ".a[]", ".k[]?", "empty", "range(3)", "range(.a)", "values", "strings", "numbers", "select(.a)"];

function compound(filter: fc.Arbitrary<string>, simple: fc.Arbitrary<string>): fc.Arbitrary<string>[] {
  const of = (pattern: string): fc.Arbitrary<string> => {
    const holes = pattern.split("%").length - 1;
    return fc.tuple(...Array.from({ length: holes }, (_, i) => (i % 2 === 0 ? filter : simple))).map((parts) => {
      let i = 0;
      return pattern.replaceAll("%", () => String(parts[i++]));
    });
  };
  const operator = fc.constantFrom("+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "and", "or", "//", ",");
  return [
    fc.tuple(filter, operator, filter).map(([left, sign, right]) => `(${left} ${sign} ${right})`),
    fc.tuple(filter, filter).map(([left, right]) => `(${left} | ${right})`),
    ...[
      "[%]",
      "{a: %, k: %}",
      "{(%): %}",
      "map(%)",
      "map(select(%))",
      "[.[] | select(%) | %]",
      "[.[]? | %]",
      "if % then % else % end",
      "(% as $x | [$x, %])",
      "(try % catch %)",
      "(%)?",
      "reduce % as $x (%; . + $x)",
      '"x\\(%)y\\(%)"',
      "sort_by(%)",
      "group_by(%)",
      "unique_by(%)",
      "min_by(%)",
      "max_by(%)",
      "any(%)",
      "all(%)",
      "map_values(%)",
      "with_entries(%)",
      "first(%)",
      "has(%)",
      "join(%)",
      "split(%)",
      "startswith(%)",
      "endswith(%)",
      "ltrimstr(%)",
      "rtrimstr(%)",
      "flatten(%)",
      "error(%)",
      "add(%)",
      "(-%)",
      "del(.a)",
      "del(.a.b)",
      "del(.[0])",
      "(.a = %)",
      "(.a.b = %)",
      "(.k[0] = %)",
      "(.a |= %)",
      "(.b.k |= %)",
    ].map(of),
  ];
}

/** Filters of what is compiled, over the names and values of `randomData`: most of them fail on most data, which is part of the matter. */
export const randomFilter: fc.Arbitrary<string> = fc.letrec<{ filter: string; simple: string }>((tie) => ({
  filter: fc.oneof({ maxDepth: 4, depthIdentifier: "jq" }, tie("simple"), ...compound(tie("filter"), tie("simple"))),
  simple: fc.oneof(path, literal, fc.constantFrom(...words), fc.constantFrom(...lists)),
})).filter;

const text = fc.constantFrom("", "a", "b", "ab", "a,b", "A", "1", "é", "😀", " a", "\u007f", '"', "x".repeat(40));
const number = fc.constantFrom(0, 1, 2, -1, 3, 0.5, 2.5, 10, 1e3);

/** A plain object, on which `__proto__` is a member like any other. */
function own(object: Readonly<Record<string, Json>>): Json {
  return JSON.parse(JSON.stringify(Object.entries(object).length === 0 ? {} : object)) as Json; // JSON in, JSON out
}

/** Data with few names, many nulls and mixed types. */
export const randomData: fc.Arbitrary<Json> = fc.letrec<{ data: Json }>((tie) => ({
  data: fc.oneof(
    { maxDepth: 3, depthIdentifier: "data" },
    fc.constantFrom<Json[]>(null, null, true, false),
    number,
    text,
    fc.array(tie("data"), { maxLength: 3 }),
    fc.array(
      fc.record({ a: tie("data"), k: tie("data") }, { requiredKeys: [] }).map((object): Json => ({ ...object })),
      { maxLength: 3 },
    ),
    fc.dictionary(fc.constantFrom("a", "b", "k", "key", "value", "name", "1", "__proto__"), tie("data"), { maxKeys: 3 }).map(own),
  ),
})).data;
