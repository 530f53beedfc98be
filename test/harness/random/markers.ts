import fc from "fast-check";
import type { Json, JsonObject } from "#runtime/value/json.ts";

/** Actions that a marker may name. */
export interface Reads {
  readonly actions: readonly string[];
}

/** Paths into the values of random requests and actions. */
export const path = fc.constantFrom(
  "a",
  ".b",
  "$.a",
  "a.b",
  "list[0]",
  "list[-1].a",
  "list[*].a",
  "list.1",
  "count()",
  "list.count()",
  '["a"]',
  "c",
);

/** One marker of any root that a request without a service gives, with up to two filters. */
export function marker({ actions }: Reads): fc.Arbitrary<string> {
  const roots = ["raw_body", "uuid", "timestamp", "timestamp:ms+1d", "env::E", "env::NONE", "ip", "request::method", "headers::x-h"];
  const named = ["var::V", "var::L.max", "var::L.list[1]", "ap_var::M", "var::M"];
  const read = fc.oneof(
    { weight: 4, arbitrary: path.map((steps) => `body::${steps}`) },
    fc.constantFrom("body", "params", "params::p", ...roots, ...named),
    ...(actions.length === 0
      ? []
      : [fc.constantFrom(...actions), fc.tuple(fc.constantFrom(...actions), path).map((parts) => parts.join("::"))]),
  );
  return fc.tuple(read, fc.array(filter, { maxLength: 2 })).map(([source, filters]) => `a|${[source, ...filters].join("->")}|`);
}

/** Filters of markers. Some fail for most values, and then both paths must fail alike. */
const filter = fc.constantFrom(
  ...[
    "default(x)",
    "default()",
    "default([1])",
    "default(a|body::b|)",
    "upper",
    "lower",
    "length",
    "to_string",
    "to_number",
    "single_quote",
  ],
  ...[
    "json_stringify",
    "json_escape",
    "json_array",
    "array_values",
    "some",
    "map(a)",
    "wrap(*)",
    "prefix(<)",
    "join(-)",
    "access(0)",
    "path(a.b)",
    "a",
  ],
);

/** Text with markers in it, for any field. */
export function looseText(reads: Reads): fc.Arbitrary<string> {
  const literal = fc.constantFrom("", "text ", ' "quoted" ', "`$`{x}", "\\ ", "{", " é\n", "*/ ");
  return fc.tuple(literal, marker(reads), literal, marker(reads)).chain((parts) => fc.subarray(parts).map((kept) => kept.join("")));
}

/** A structure with markers at its leaves and in its keys. */
export function value(reads: Reads): fc.Arbitrary<Json> {
  const leaf: fc.Arbitrary<Json> = fc.oneof(marker(reads), looseText(reads), fc.constantFrom<Json[]>(null, true, 0, -1.5, "", "a"));
  const key = fc.oneof({ weight: 4, arbitrary: fc.constantFrom("a", "b", "list", "constructor", "x y") }, marker(reads));
  const map = (inner: fc.Arbitrary<Json>): fc.Arbitrary<JsonObject> => fc.dictionary(key, inner, { maxKeys: 3, noNullPrototype: true });
  return fc.oneof(leaf, map(fc.oneof(leaf, map(leaf), fc.array(leaf, { maxLength: 3 }))), fc.array(map(leaf), { maxLength: 3 }));
}

/** A request body: values that the paths lead to, and others. */
export function body(): fc.Arbitrary<Json> {
  const scalar = fc.constantFrom<Json[]>(null, true, false, 0, 7, 1.5, "", "x", "42", "a'\"\\\n<é", "' OR '1'='1", "2024-01-01", "..");
  const deep = fc.oneof(
    scalar,
    fc.record({ a: scalar, b: scalar }, { requiredKeys: [], noNullPrototype: true }),
    fc.array(scalar, { maxLength: 3 }),
  );
  const list = fc.array(fc.oneof(scalar, fc.record({ a: scalar }, { noNullPrototype: true })), { maxLength: 4 });
  return fc.oneof(
    { weight: 5, arbitrary: fc.record({ a: deep, b: scalar, list, __proto__: scalar }, { requiredKeys: [], noNullPrototype: true }) },
    deep,
  );
}
