import fc from "fast-check";
import { query } from "json-p3";
import { describe, expect, it } from "vitest";
import { keep_attributes, prepare as prepareKeep } from "#runtime/features/transforms/keep_attributes.ts";
import { prepare as prepareRemove, remove_attributes } from "#runtime/features/transforms/remove_attributes.ts";
import { walkThrough } from "#runtime/paths/nodes.ts";
import { nodePaths } from "#runtime/paths/nodes-mask.ts";
import { keysTo, matchesOf, wildKeysTo } from "#runtime/paths/nodes-walk.ts";
import { matchesIn, nodePath } from "#runtime/paths/path.ts";
import { Failure } from "#runtime/value/failure.ts";
import { isObject, type Json } from "#runtime/value/json.ts";
import { idleAct } from "../../harness/idle-act.ts";

/** Values of few names, so that paths of the same names often match. */
const values = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom<Json[]>(null, true, 0, 1, 2, "a", "b", ""),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom("a", "b", "c"), tie("value"), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;

const list = (length: number): number[] => Array.from({ length }, (_, i) => i);

describe("matches", () => {
  const at = (data: Json, path: string) => matchesIn(data, nodePath(path));

  it("know their way, and what of it the path has left open", () => {
    const data: Json = { a: [{ b: 1, c: 2 }, { b: 3 }] };
    expect(at(data, "$.a[*].b").map(keysTo)).toEqual([
      ["a", 0, "b"],
      ["a", 1, "b"],
    ]);
    expect(at(data, "$.a[?@.c].b").map(wildKeysTo)).toEqual([[0]]);
    expect(at(data, "$..b").map(wildKeysTo)).toEqual([[], []]);
    expect(at(data, "$..[0,1]['b','c']").map(wildKeysTo)).toEqual([
      [0, "b"],
      [0, "c"],
      [1, "b"],
    ]);
  });

  it("of a path without a dollar are in the rows of a list", () => {
    expect(at([{ a: 1 }, 2, { a: 3 }], "a").map(({ value }) => value)).toEqual([1, 3]);
    expect(at([{ a: 1 }], "$.a")).toEqual([]);
  });

  it("are those of json-p3", () => {
    const selectors = [
      "'a'",
      "0",
      "-1",
      "*",
      "1:",
      "::-1",
      "'b','a'",
      "?@.a",
      "?@.a == 1",
      "?!@.b || @ > 0",
      "?count(@.*) > 1",
      "?@.b == $.b",
      "?@..a",
    ];
    const segments = fc.array(fc.tuple(fc.constantFrom("", ".."), fc.constantFrom(...selectors)), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(segments, values, (parts, data) => {
        const text = `$${parts.map(([dots, selector]) => `${dots}[${selector}]`).join("")}`;
        expect(at(data, text).map(({ value }) => value)).toEqual(query(text, data).values());
      }),
      { numRuns: 500 },
    );
  });

  it("are given up when a path visits too much", () => {
    const { steps } = nodePath("$..*");
    const visit = (left: number) => matchesOf([[1], 2], steps, true, { ...walkThrough([[1], 2], "$..*"), left });
    expect(visit(8)).toHaveLength(3);
    expect(() => visit(7)).toThrow(new Failure("transform", 'path "$..*" visits more than 4000000 nodes'));
  });

  it.each<[string, Json]>([
    ["$.rows[?$.a == $.b]", { a: list(1000), b: list(1000) }],
    ["$.rows[?length($.text) > 1]", { text: "x".repeat(100_000) }],
    ["$.rows[?search($.text, 'b')]", { text: "a".repeat(100_000) }],
    ["$.rows[?search('a', @)]", {}],
  ])("are given up when its filters look at too much: %s", (text, more) => {
    const data = { rows: list(20_000).map((i) => `pattern ${String(i)}`), ...(isObject(more) ? more : {}) };
    const run = () => matchesOf(data, nodePath(text).steps, true, walkThrough(data, text));
    expect(run).toThrow(new Failure("transform", `path "${text}" visits more than 4000000 nodes`));
  });
});

describe("masks", () => {
  const paths = fc.array(
    fc
      .tuple(fc.constantFrom("$", ""), fc.array(fc.constantFrom("a", "b", "*", "0"), { minLength: 1, maxLength: 3 }))
      .map(([root, steps]) => {
        const all = root === "" ? steps.map((step) => (step === "*" ? "c" : step)) : steps;
        return root + all.map((step) => (step === "*" || step === "0" ? `[${step}]` : `.${step}`)).join("");
      }),
    { minLength: 1, maxLength: 3 },
  );

  it("that are made in stage 1 are those of a walk", () => {
    let fixed = 0;
    fc.assert(
      fc.property(
        paths,
        values.filter((data) => typeof data === "object" && data !== null),
        (texts, data) => {
          const keep = prepareKeep(texts);
          const remove = prepareRemove(texts);
          const walked = { paths: remove.paths, inObjects: undefined, inLists: undefined };
          if (remove.inObjects !== undefined) fixed += 1;
          expect(remove_attributes(data, remove, idleAct)).toEqual(remove_attributes(data, walked, idleAct));
          expect(keep_attributes(data, keep, idleAct)).toEqual(keep_attributes(data, { ...keep, places: walked }, idleAct));
        },
      ),
      { numRuns: 500 },
    );
    expect(fixed).toBeGreaterThan(100);
  });

  it("depend on the data where a name stands beside a wildcard, and where an index counts from the end", () => {
    const isFixed = (...texts: string[]) => nodePaths(texts.map(nodePath)).inObjects !== undefined;
    expect(isFixed("$[*].a", "$[*].b.c", "$[0]")).toBe(false);
    expect(isFixed("$[*].a", "$[*].b.c")).toBe(true);
    expect(isFixed("a", "b[0].c")).toBe(true);
    for (const text of ["a[-1]", "a.0", "$..a", "$['a','b']", "$[1:]"]) expect(isFixed(text)).toBe(false);
  });
});
