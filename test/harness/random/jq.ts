import fc from "fast-check";
import type { Json } from "#runtime/value/json.ts";

const step = fc.constantFrom(
  ...[".a", ".b", ".k", ".a", ".b", ".k", '."a"', ".__proto__", ".constructor", '["a"]', '["1"]', "[0]", "[-1]", "[1]", "[-9]"],
  ...["[]", "[]", "[1:]", "[:-1]", "[0:1]", "[-2:]", "[2:1]", "[null:1]", "[$x]", "[.a]", "[.k]", "[null]"],
);
/** A path, in which any step may have a question mark. */
const path = fc
  .array(fc.tuple(step, fc.constantFrom("", "", "", "", "?")), { maxLength: 3 })
  .map((steps) => steps.map((parts) => parts.join("")).join(""))
  .map((text) => (text.startsWith(".") ? text : `.${text}`));
const literal = fc.constantFrom(
  ...[
    "null",
    "true",
    "false",
    "0",
    "1",
    "2",
    "-1",
    "-2",
    "0.5",
    "10",
    '""',
    '"a"',
    '"b"',
    '"a,b"',
    '"é"',
    '"😀"',
    '"1"',
    "[]",
    "{}",
    "[1,2]",
  ],
  ...["[[1,[2]],3]", '{"b":2,"a":1}', '[null,false,0,"",[],{}]', '"\\u0000"', "$x", "$x", "$x.a", "$x[]"],
);
const words =
  "length keys keys_unsorted add any all not type to_entries from_entries sort unique min max reverse flatten tostring tonumber tojson fromjson abs ascii_downcase ascii_upcase trim ltrim rtrim floor ceil round sqrt first last error @base64 @uri @text @json objects arrays iterables scalars booleans nulls".split(
    " ",
  );
const lists = [
  ".[]",
  ".[]?",
  ".a[]",
  ".k[]?",
  "empty",
  "range(3)",
  "range(.a % 9)",
  "values",
  "strings",
  "numbers",
  "select(.a)",
  ".[].a",
  ".[].a.b?",
];

/** Filters with holes, which other filters fill. */
const patterns = [
  "[%]",
  "{a: %, k: %}",
  "{(%): %}",
  "{(%): %, b: %}",
  "{a: %, a: %}",
  "{a, k: %}",
  "map(%)",
  "map(select(%))",
  "[.[] | select(%) | %]",
  "[.[]? | %]",
  "if % then % else % end",
  "(% as $x | [$x, %])",
  "[% as $x | % as $y | $x, $y]",
  "[.[] as $x | .[] | %]",
  "if % then % end",
  "(try % catch %)",
  "(%)?",
  "reduce % as $x (%; . + $x)",
  "reduce % as $x (%; %)",
  "add(.[] | %)",
  "[range(% % 9; % % 7)]",
  "[range(% % 9; 5; 2)]",
  "(.[%])",
  "(.a[%]?)",
  "(-% * %)",
  "-%",
  "(first(%) // %)",
  "((%)? // %)",
  "{a: %} | first(empty)",
  '@uri "a\\(%)b\\(%)"',
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
  "del(.[-1])",
  "(.[-1] = %)",
  "(.[1] |= %)",
  "with_entries(.value |= %)",
  "sort_by(%, %)",
  "group_by(.a)",
  "unique_by(length)",
  "min_by(.a)",
  "max_by(.k)",
  'split("")',
  "[.[]? as $x | .[]? as $y | try ($x + $y) catch .]",
  "[.[]? as $x | .[]? as $y | $x < $y, $x == $y]",
  "[.[]? as $x | .[]? as $y | try ($x | has($y)) catch .]",
  "[.[]? as $x | .[]? as $y | try ($x / $y) catch .]",
  "[.[]? as $x | .[]? as $y | try ($x % $y) catch .]",
  "(.a = %)",
  "(.a.b = %)",
  "(.k[0] = %)",
  "(.a |= %)",
  "(.b.k |= %)",
];

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
    ...patterns.map(of),
  ];
}

/**
 * Filters from the part of jq that is compiled, over the names and values of `randomData`. Most of them fail on most data, so that errors
 * are compared, too.
 */
export const randomFilter: fc.Arbitrary<string> = fc
  .letrec<{ filter: string; simple: string }>((tie) => ({
    filter: fc.oneof({ maxDepth: 4, depthIdentifier: "jq" }, tie("simple"), ...compound(tie("filter"), tie("simple"))),
    simple: fc.oneof(path, literal, fc.constantFrom(...words), fc.constantFrom(...lists)),
  }))
  .filter.map((filter) => (filter.includes("$x") ? `.a? as $x | ${filter}` : filter));

const text = fc.constantFrom(
  ...["", "a", "b", "ab", "a,b", "A", "1", "-1", "é", "😀", '"', "\\", "[1]", "null", "é😀z", "\uffff", "x".repeat(40), "é".repeat(20)],
  ...["xxx😀".repeat(9), `${"y".repeat(23)}éz`, "aXbXc", "/<&'>", "a", "b", "ab", "aa", "ba", "k", "z", "Z", "  ", "\t\r\n", " a "],
);
const number = fc.constantFrom(...[0, 1, 2, -1, 3, 0.5, -0.5, 2.5, 10, 1e3, 0.1, 0.2, 1 / 3, 7, 65, 123456789012, 0.001, 4294967296]);
/** Values that jq and JavaScript print or treat differently. */
const odd = fc.constantFrom<Json[]>(
  ...[
    1e15,
    1e21,
    1e300,
    5e-324,
    1e-5,
    2 ** 53,
    -(2 ** 53),
    "\u007f",
    "a\0b",
    "a\n",
    " a ",
    "\u00a0",
    "1.0",
    "1e3",
    "0x10",
    " 1",
    "nan",
    "01",
  ],
);

/** A plain object, on which `__proto__` is a member like any other. */
function own(object: Readonly<Record<string, Json>>): Json {
  return JSON.parse(JSON.stringify(Object.entries(object).length === 0 ? {} : object)) as Json; // JSON in, JSON out
}

const name = fc.constantFrom(...["a", "a", "b", "k", "k", "key", "value", "name", "", "é", "1", "01", "__proto__", "constructor"]);

const row = (value: fc.Arbitrary<Json>): fc.Arbitrary<Json> =>
  fc.record({ a: value, k: value }, { requiredKeys: [] }).map((object): Json => ({ ...object }));

/** Data with few names, many nulls and mixed types. */
export const randomData: fc.Arbitrary<Json> = fc.letrec<{ data: Json }>((tie) => ({
  data: fc.oneof(
    { maxDepth: 3, depthIdentifier: "data" },
    { weight: 20, arbitrary: fc.constantFrom<Json[]>(null, null, true, false) },
    { weight: 20, arbitrary: number },
    { weight: 20, arbitrary: text },
    odd,
    { weight: 20, arbitrary: fc.array(tie("data"), { maxLength: 4 }) },
    { weight: 20, arbitrary: fc.array(row(tie("data")), { maxLength: 4 }) },
    { weight: 20, arbitrary: fc.dictionary(name, tie("data"), { maxKeys: 3 }).map(own) },
  ),
})).data;
