import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { every, keysAt } from "../../../runtime/paths/nodes.ts";
import { keyPath, nodePath, read, replace, stepsIn, valuePath, write } from "../../../runtime/paths/path.ts";
import { Failure, Reject } from "../../../runtime/value/failure.ts";
import { path_key } from "../../../runtime/value/holes.ts";
import type { Json } from "../../../runtime/value/json.ts";

const steps = (text: string) => nodePath(text).steps;

describe("the grammar", () => {
  it.each([
    ["", []],
    [".", []],
    ["$", []],
    ["$.", []],
    ["a", ["a"]],
    [".a", ["a"]],
    ["a.b[0].c", ["a", "b", 0, "c"]],
    [".a.b[0].c", ["a", "b", 0, "c"]],
    ["$.a.b[0].c", ["a", "b", 0, "c"]],
    ["[0]verified", [0, "verified"]],
    [".[0].x", [0, "x"]],
    ["a.[0]", ["a", 0]],
    ["a[0][-1]", ["a", 0, -1]],
    ["stripe-signature", ["stripe-signature"]],
    ["1K-blocks.@id.#x.a b.naïve", ["1K-blocks", "@id", "#x", "a b", "naïve"]],
    ["['a.b'].c", ["a.b", "c"]],
    [`["a]b"]['it\\'s']`, ["a]b", "it's"]],
    ["['']", [""]],
    ["a.0", ["a", "0"]],
    ["*", ["*"]],
    [".$.a", ["$", "a"]],
    ["$[*].a", [every, "a"]],
    ["$.*.a", [every, "a"]],
    ["$.[*].a", [every, "a"]],
    ["$ [ 'a' ] [ 0 ]", ["a", 0]],
    ["$['\\u0041\\n\\'']", ["A\n'"]],
    ["$._é1", ["_é1"]],
  ])("%s", (text, expected) => {
    expect(steps(text)).toEqual(expected);
  });

  it.each([
    ["a.", "a name is missing after the dot at character 2"],
    ["a..b", "a name is missing after the dot at character 2"],
    ["..a", "a name is missing after the dot at character 2"],
    ["..[0]", "a name is missing after the dot at character 2"],
    [" a", "it begins or ends with white space"],
    ["a\n", "it begins or ends with white space"],
    ["a[", "'[' at character 2 is not closed"],
    ["a['b", "'[' at character 2 is not closed"],
    ["a['b]", "the brackets at character 2 hold neither an index nor a quoted name"],
    ["a]", "']' at character 2 closes nothing"],
    ["a[]", "the brackets at character 2 hold neither an index nor a quoted name"],
    ["a.[b]", "the brackets at character 3 hold neither an index nor a quoted name"],
    ["a[*].b", "'[*]' at character 2 needs a path that starts with '$': write '$.a[*].b'"],
    ["[?@.a]", "'[?@.a]' at character 1 needs a path that starts with '$': write '$[?@.a]'"],
    [".a[1:2]", "'[1:2]' at character 3 needs a path that starts with '$': write '$.a[1:2]'"],
    ["['\\x']", "unknown escape '\\x' in a quoted name"],
    ["$a", "'a' at character 2 is not expected; unusual names are written ['like this']"],
    ["$.a-b", "'-' at character 4 is not expected; unusual names are written ['like this']"],
    ["$.1", "a name is missing after the dot at character 2; unusual names are written ['like this']"],
    ["$..", "a name is missing after '..'"],
    ["$.a[", "'[' at character 4 is not closed"],
    ["$.a[?", "'[' at character 4 is not closed"],
    ["$[?]", "the brackets at character 2 hold no selector"],
    ["$[01]", "the brackets at character 2 hold no selector"],
    ["$[-0]", "the brackets at character 2 hold no selector"],
    ["$[9007199254740992]", "an index is out of range"],
    ["a".repeat(4097), "it is longer than 4096 characters"],
  ])("%s is PW209", (text, reason) => {
    const shown = text.length > 200 ? `${text.slice(0, 200)}...` : text;
    expect(() => steps(text)).toThrow(new Reject("PW209", `bad path '${shown}': ${reason}`));
  });

  it("a path of a marker is shown without the dot that makes its $ a name", () => {
    const fault = "the brackets at character 4 hold neither an index nor a quoted name";
    expect(() => steps(".$.a[*]")).toThrow(new Reject("PW209", `bad path '$.a[*]': ${fault}`));
    expect(() => steps(".$.a.")).toThrow(new Reject("PW209", "bad path '$.a.': a name is missing after the dot at character 4"));
    expect(() => keyPath(".$[0]")).toThrow(new Reject("PW209", "bad path '$[0]': a key to write is made of names only"));
    expect(steps(".$.a")).toEqual(["$", "a"]);
  });

  it.each([
    ["$..a", [{ selectors: ["a"], descend: true }]],
    ["$..*", [{ selectors: [every], descend: true }]],
    ["$['a', 0].b", [{ selectors: ["a", 0], descend: false }, "b"]],
    ["$[1:]", [{ selectors: [{ start: 1, end: undefined, step: 1 }], descend: false }]],
    ["$[ : : -1 ]", [{ selectors: [{ start: undefined, end: undefined, step: -1 }], descend: false }]],
    ["$.[?@.a].b", [{ selectors: [{ passes: expect.any(Function) }], descend: false }, "b"]],
  ])("%s has more than names, indexes and wildcards", (text, expected) => {
    expect(steps(text)).toEqual(expected);
  });

  it.each([
    ["$[?@.a==]", "unexpected end of expression at character 9"],
    ["$.[?@.a==]", "unexpected end of expression at character 10"],
    ["$.a[?@.b = 1]", "unexpected filter selector token '=' at character 10"],
    ["$[?nope(@)]", "no such function 'nope' at character 4"],
    ["$['a',]", "unexpected trailing comma at character 7"],
    ["$[1:2:3:4]", "expected token 'comma', found 'colon' at character 8"],
    ["$['\\ud800']", "incomplete escape sequence at character 4"],
    [`$[?${"(".repeat(101)}@.a${")".repeat(101)}]`, "it is nested more than 100 deep at character 103"],
    // Queries that the library would let pass.
    ["$..a-b", "'-' is no part of a name without quotes at character 5"],
    ["$[?!!@.a]", "'!' stands twice at character 4"],
    ["$[?!@.a == 1]", "only values, paths of one value and functions are compared at character 5"],
    ["$[?@.a == 1 == 2]", "only values, paths of one value and functions are compared at character 13"],
    ["$[?(@.a) == 1]", "a side of a comparison stands in parentheses at character 10"],
    ["$[?@.a == (1)]", "a side of a comparison stands in parentheses at character 8"],
    ["$[?(length(@)) == 1]", "a side of a comparison stands in parentheses at character 16"],
    ["$[?!1]", "a value must be compared with another at character 5"],
    ["$[?@.a && count(@.*)]", "a value must be compared with another at character 11"],
  ])("%s is PW209, too", (text, reason) => {
    const shown = text.length > 200 ? `${text.slice(0, 200)}...` : text;
    expect(() => steps(text)).toThrow(new Reject("PW209", `bad path '${shown}': ${reason}`));
  });

  it.each([
    "$[?'a)b' == @.x]",
    '$[?@.x == "("]',
    "$[?(length(@) == 1)]",
    "$[?!(!@.a)]",
    "$[?(@.a == 1) && ((@.b))]",
    "$[?!match(@.a, '!!')]",
  ])("%s is fine", (text) => {
    expect(steps(text)).toHaveLength(1);
  });

  it("takes any key from a hole as one name", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (key) => {
        expect(steps(`a${path_key(key)}.b`)).toEqual(["a", key, "b"]);
      }),
    );
  });

  it("never throws anything but a diagnostic", () => {
    const text = fc.string({ unit: fc.constantFrom(..."$.[]'\"\\*?:,-01ab@u é\n") });
    fc.assert(
      fc.property(text, (path) => {
        try {
          steps(path);
        } catch (error) {
          expect(error).toBeInstanceOf(Reject);
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe("the kinds", () => {
  it("V names one value", () => {
    expect(() => valuePath("$[*]")).toThrow(new Reject("PW510", 'path "$[*]" can match more than one value'));
  });

  it("W is made of names", () => {
    expect(keyPath(".a.0").steps).toEqual(["a", "0"]);
    for (const text of ["", "$", "a[0]", "$[*]"]) expect(() => keyPath(text)).toThrow(/a key to write is made of names only/);
  });

  it("an unset marker is not the root", () => {
    for (const kind of [nodePath, valuePath, keyPath]) expect(() => kind(null)).toThrow(new Reject("PW209", "path is not set"));
  });

  it("rows: a dot path that starts with a name is taken in each element", () => {
    expect(stepsIn([], nodePath("a.b"))).toEqual([every, "a", "b"]);
    expect(stepsIn({}, nodePath("a.b"))).toEqual(["a", "b"]);
    for (const text of ["$.a", "[0].a", "0.a", ""]) expect(stepsIn([], nodePath(text))).toEqual(nodePath(text).steps);
  });
});

describe("reading", () => {
  const data: Json = { a: [{ b: null }], "0": "zero" };

  it.each<[string, Json | undefined]>([
    ["a[0].b", null],
    ["a.0.b", null],
    ["$.a[-1].b", null],
    ["0", "zero"],
    ["[0]", undefined],
    ["$.a['0']", undefined],
    ["a[1]", undefined],
    ["a[-2]", undefined],
    ["a.length", undefined],
    ["a[0].b.c", undefined],
    ["constructor", undefined],
    ["__proto__", undefined],
  ])("%s", (path, expected) => {
    expect(read(data, valuePath(path))).toEqual(expected);
  });

  it("lists the keys a step names", () => {
    expect(keysAt([7, 8], -1, true)).toEqual([1]);
    expect(keysAt([7, 8], "1", false)).toEqual([1]);
    expect(keysAt([7, 8], "1", true)).toEqual([]);
    expect(keysAt([7, 8], { start: undefined, end: undefined, step: -1 }, true)).toEqual([1, 0]);
    expect(keysAt({ a: 2 }, "a", true)).toEqual(["a"]);
    expect(keysAt({}, "toString", true)).toEqual([]);
    expect(keysAt(null, "a", true)).toEqual([]);
  });
});

describe("writing", () => {
  const at = (data: Json, key: string, fromRoot = false): string => JSON.stringify(write(data, keyPath(key), 1, fromRoot));

  it.each<[Json, string, string]>([
    [{ a: 0, b: 0 }, "a", '{"a":1,"b":0}'],
    [{ a: 0 }, ".b", '{"a":0,"b":1}'],
    [null, "a", '{"a":1}'],
    [{}, "a.b.c", '{"a":{"b":{"c":1}}}'],
    [{ a: null }, "a.b", '{"a":{"b":1}}'],
    [{ a: { x: 0 } }, "$.a.b", '{"a":{"x":0,"b":1}}'],
    [{}, "['a.b']", '{"a.b":1}'],
    [{}, "__proto__.polluted", '{"__proto__":{"polluted":1}}'],
    [{}, "constructor.prototype.polluted", '{"constructor":{"prototype":{"polluted":1}}}'],
  ])("%j %s", (data, key, expected) => {
    const before = JSON.stringify(data);
    expect(at(data, key)).toBe(expected);
    expect(JSON.stringify(data)).toBe(before);
  });

  it("leaves the prototype of every object alone", () => {
    write({}, keyPath("__proto__.polluted"), 1);
    write({}, keyPath("constructor.prototype.polluted"), 1);
    expect("polluted" in {}).toBe(false);
  });

  it.each<[Json, string, string]>([
    [[], "k", 'cannot write key "k": data is array'],
    ["x", "k", 'cannot write key "k": data is string'],
    [{ a: 1 }, "a.b", 'cannot write key "a.b": data is number'],
  ])("%j %s fails", (data, key, reason) => {
    expect(() => at(data, key)).toThrow(new Failure("transform", reason));
  });

  it("replaces data that was itself the source", () => {
    expect(at("x", "k", true)).toBe('{"k":1}');
    expect(at([1], "k", true)).toBe('{"k":1}');
    expect(at({ a: 0 }, "k", true)).toBe('{"a":0,"k":1}');
  });

  it.each<[Json, string, string]>([
    [{ a: [{ b: 0 }, 0] }, "a[-2].b", '{"a":[{"b":1},0]}'],
    [[[0]], "0.0", "[[1]]"],
    ["x", "$", "1"],
    [JSON.parse('{"__proto__":0}'), "__proto__", '{"__proto__":1}'],
  ])("replaces in place: %j %s", (data, path, expected) => {
    const before = JSON.stringify(data);
    expect(JSON.stringify(replace(data, valuePath(path), 1))).toBe(expected);
    expect(JSON.stringify(data)).toBe(before);
  });
});
