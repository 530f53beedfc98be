import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isFinding, pathExpr, readPath } from "../../../compiler/4-plan/lower/paths.ts";
import { found, isBadPath, parsePath } from "../../../runtime/paths/marker-path.ts";
import type { Expr } from "../../../runtime/plan/index.ts";
import type { Json } from "../../../runtime/value/json.ts";
import { evaluated } from "./lowering.ts";

const data: Json = {
  email: "e",
  user: { address: { city: "Bern" } },
  items: [{ id: 1, tags: ["a", "b"] }, { id: 2, tags: ["c"] }, { name: "x" }],
  "a.b": 1,
  "x-y": 2,
  "a b": 3,
  "": 4,
  text: "héé",
  none: null,
};

/** The value by the path itself, and by the expression that the compiler makes of it. */
function both(path: string, value: Json = data): Json {
  const parsed = parsePath(path);
  const read = readPath(path);
  if (isBadPath(parsed) || isFinding(read)) throw new Error(`bad path ${path}`);
  const direct = found(value, parsed);
  expect(evaluated(pathExpr({ op: "lit", value }, read))).toEqual(direct);
  return direct;
}

describe("paths of markers and tests", () => {
  test.each<[string, Json]>([
    ["email", "e"],
    [".email", "e"],
    ["$.email", "e"],
    ["$email", "e"],
    ["user.address.city", "Bern"],
    ["items[0].id", 1],
    ["items[0]id", 1],
    ["items.0.id", 1],
    ["items[-2].id", 2],
    ["items[9].id", null],
    ["items.00.id", null],
    ["x-y", 2],
    ["a b", 3],
    ["a\\.b", 1],
    ['["a.b"]', 1],
    ["['a.b']", 1],
    ['$["a.b"]', 1],
    ['[""]', 4],
    ["items[*].id", [1, 2]],
    ["items[*].tags[*]", ["a", "b", "c"]],
    ["items.[*].name", ["x"]],
    ["email[*]", null],
    ["items.count()", 3],
    ["items[*].tags[*].count()", 3],
    ["user.count()", 1],
    ["text.count()", 3],
    ["none.count()", 0],
    ["missing.count()", 0],
    ["email.x.y", null],
    ["none.x", null],
    ["constructor", null],
    ["__proto__.x", null],
    ["items.length", null],
  ])("%s", (path, expected) => {
    expect(both(path)).toEqual(expected);
  });

  test("null in a list is found", () => {
    expect(both("[*].a", [{ a: null }, {}, null, { a: 1 }])).toEqual([null, 1]);
    expect(both("[*][*]", [[null, 1], [], null])).toEqual([null, 1]);
  });

  test.each(["", ".", "$", "$.", " "])("%j is the whole value", (path) => {
    expect(both(path)).toBe(data);
  });

  test("a path that starts with a bracket", () => {
    expect(both("[0].id", [{ id: 7 }])).toBe(7);
    expect(both("$[0]id", [{ id: 7 }])).toBe(7);
    expect(both("count()", [1, 2])).toBe(2);
  });

  test("a later read goes on where an earlier one ended", () => {
    const of: Expr = pathExpr(pathExpr({ op: "root", root: "body" }, { steps: ["a"], count: false }), { steps: ["b", 0], count: false });
    expect(of).toEqual({ op: "at", of: { op: "root", root: "body" }, path: ["a", "b", 0] });
  });
});

describe("bad paths carry their column", () => {
  test.each([
    ["a.", "it ends in a dot (column 3)"],
    ["a..b", "empty key (column 3)"],
    ["a[", "'[' is not closed (column 2)"],
    ["a[0", "'[' is not closed (column 2)"],
    ["a[x]", "a bracket holds an index, [*] or a quoted key (column 2)"],
    ["a[]", "a bracket holds an index, [*] or a quoted key (column 2)"],
    ["a]b", "unexpected ']' (column 2)"],
    ["a.count().b", "count() must be last (column 3)"],
    ["a.size()", "unknown function 'size()' (column 3)"],
    ['[*]["*"]', "a key '*' cannot follow [*] (column 9)"],
  ])("%s", (path, reason) => {
    const read = readPath(path);
    expect(isFinding(read) && [read.code, read.message]).toEqual(["PW209", `bad path '${path}': ${reason}`]);
  });
});

test("the parser never throws, and any key can be written in quotes", () => {
  const scraps = fc.constantFrom(".", "[", "]", "'", '"', "\\", "*", "0", "-", "$", "count()", "()", "a", "\n", " ");
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(scraps).map((all) => all.join("")),
      ),
      (path) => void parsePath(path),
    ),
    { numRuns: 2000 },
  );
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (key) => {
      fc.pre(key !== "__proto__");
      expect(both(`[${JSON.stringify(key)}]`, { [key]: "here" })).toBe("here");
    }),
  );
});
