import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { asyncEachNode, eachNode, eachNodeWork, isPlural, Long, presentNodes } from "#runtime/paths/each-node.ts";
import { nodePath } from "#runtime/paths/path.ts";
import { atOnce, inSlices } from "#runtime/threads/slices.ts";
import type { Json } from "#runtime/value/json.ts";
import { frozen } from "../../harness/frozen.ts";
import { busyAct, idleAct } from "../../harness/idle-act.ts";

const data: Json = { a: { b: [{ c: 1 }, { c: 2 }, { d: 3 }] }, e: 4 };

describe("replacing", () => {
  const shown = (path: string, from: Json = data): string =>
    JSON.stringify(eachNode(frozen(structuredClone(from)), nodePath(path), (node) => [node]));

  it.each([
    ["", '[{"a":{"b":[{"c":1},{"c":2},{"d":3}]},"e":4}]'],
    ["e", '{"a":{"b":[{"c":1},{"c":2},{"d":3}]},"e":[4]}'],
    ["zz.y", '{"a":{"b":[{"c":1},{"c":2},{"d":3}]},"e":4}'],
    ["a.b[-1].d", '{"a":{"b":[{"c":1},{"c":2},{"d":[3]}]},"e":4}'],
    ["$.a.b[*].c", '{"a":{"b":[{"c":[1]},{"c":[2]},{"d":3}]},"e":4}'],
    ["$.a.b[1:]", '{"a":{"b":[{"c":1},[{"c":2}],[{"d":3}]]},"e":4}'],
    ["$.a.b[?@.c > 1].c", '{"a":{"b":[{"c":1},{"c":[2]},{"d":3}]},"e":4}'],
    ["$..c", '{"a":{"b":[{"c":[1]},{"c":[2]},{"d":3}]},"e":4}'],
    ["$['e','e','a']", '{"a":[{"b":[{"c":1},{"c":2},{"d":3}]}],"e":[4]}'],
  ])("%j", (path, expected) => {
    expect(shown(path)).toBe(expected);
  });

  it("goes from the inside to the outside, and to each place once", () => {
    expect(shown("$..*", { a: { a: 1 } })).toBe('{"a":[{"a":[1]}]}');
    expect(shown("$..[0, 0]", [[1]])).toBe("[[[[1]]]]");
  });

  it("takes names in each row of a list", () => {
    expect(shown("c", [{ c: 1 }, 2, { d: 3 }])).toBe('[{"c":[1]},2,{"d":3}]');
    expect(shown("0", [{ c: 1 }, 2])).toBe('[[{"c":1}],2]');
  });

  it("changes nothing where nothing is changed", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom("", "a", "[0]", "$[*]", "$..*", "$..a", "$[?@.a]"), (value, path) => {
        // A JSON value of fast-check is one of ours.
        const json = value as Json;
        expect(JSON.stringify(eachNode(frozen(json), nodePath(path), (node) => node))).toBe(JSON.stringify(json));
      }),
    );
  });
});

describe("replacing in slices", () => {
  const paths = ["", "zz", "e", "$..c", "$..*", "$.a.b[1:]", "$.a.b[*].c", "$['e','e','a']"];
  const wide: Json = Array.from({ length: 2_000 }, (_, i) => ({ c: i, b: [i, { c: [i] }] }));

  it.each([data, wide, { a: wide, b: [wide] }])("gives the same, at once and with others between", async (from) => {
    for (const path of paths) {
      const change = (node: Json): Json => [node];
      const long = (node: Json): Long =>
        new Long(
          (function* () {
            yield;
            return [node];
          })(),
        );
      const expected = eachNode(frozen(structuredClone(from)), nodePath(path), change);
      expect(atOnce(eachNodeWork(frozen(structuredClone(from)), nodePath(path), change))).toEqual(expected);
      expect(await inSlices(eachNodeWork(frozen(structuredClone(from)), nodePath(path), long), busyAct())).toEqual(expected);
      expect(await asyncEachNode(frozen(structuredClone(from)), nodePath(path), busyAct(), async (node) => [node])).toEqual(expected);
    }
  });
});

describe("replacing by what has to be waited for", () => {
  it("gives the same, one match after the other", async () => {
    let running = 0;
    const change = async (node: Json): Promise<Json> => {
      running += 1;
      await Promise.resolve();
      expect(running).toBe(1);
      running -= 1;
      return [node];
    };
    for (const path of ["", "zz", "$..c", "$..*", "$.a.b[1:]"]) {
      expect(await asyncEachNode(frozen(structuredClone(data)), nodePath(path), idleAct, change)).toEqual(
        eachNode(data, nodePath(path), (node) => [node]),
      );
    }
  });
});

describe("matches", () => {
  it("one place must have one", () => {
    expect(presentNodes(data, nodePath("e"))).toEqual([4]);
    expect(() => presentNodes(data, nodePath("a.zz"))).toThrow('path "a.zz" matched nothing');
    expect(presentNodes(data, nodePath("$.a.zz[*]"))).toEqual([]);
  });

  it("several places come in document order", () => {
    expect(presentNodes(data, nodePath("$.a.b[*].c"))).toEqual([1, 2]);
    expect(presentNodes([{ c: 1 }, {}, { c: null }], nodePath("c"))).toEqual([1, null]);
  });

  it("rows are several places", () => {
    expect(isPlural(data, nodePath("a"))).toBe(false);
    expect(isPlural([], nodePath("a"))).toBe(true);
    expect(isPlural([], nodePath("[0].a"))).toBe(false);
    expect(isPlural(data, nodePath("$.a.b[0:1]"))).toBe(true);
    expect(isPlural(data, nodePath("$..a"))).toBe(true);
  });
});
