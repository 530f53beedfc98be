import { basename } from "node:path";
import { expect, test } from "vitest";
import { bundle } from "../../../compiler/7-link/bundle.ts";
import { fileOf, optionalParts } from "../../../compiler/7-link/optional-parts.ts";
import { planned, printOne } from "../../harness/compile.ts";
import { importsOf, sourceFiles } from "../../harness/rules/import-list.ts";

// A bundle carries the reader of JSONPath queries only when a path of its configs is more than names, indexes and wildcards.

const config = (path: string): string => `name: paths
interfaces:
  paths:
    method: POST
    actions:
      - name: Kept
        input: a|body|
        post_transforms:
          - keep_attributes: [id, ${JSON.stringify(path)}]
`;

test.each([
  ["name", false, false],
  ["$[*].name", false, false],
  ["$.[0]['a b']", false, false],
  ["a.a|body::k|", false, false],
  ["$..name", true, true],
  ["$.a[?@.x]", true, true],
  ["$.x-a|body::k|.y", true, true],
])("%s", async (path, printed, walked) => {
  const carried = async (interpret: boolean): Promise<boolean> => {
    const { packages } = await bundle([await printOne(planned(config(path)), { interpret })], { environment: "test", format: "cjs" });
    return packages.some(({ name }) => name === "json-p3");
  };
  expect([await carried(false), await carried(true)]).toEqual([printed, walked]);
});

test.each([
  ["secret: a|env::KEY|", false],
  ["jwks_url: https://provider.example/keys", true],
])("a client of key sets for %s: %s", async (key, expected) => {
  const text = `name: tokens\ninterfaces:\n  t:\n    method: POST\n    actions:\n      - name: A\n        input: a|body|\n        assert: { tests: [{ value: token, is_valid_jwt: { ${key} } }] }\n`;
  for (const interpret of [false, true]) {
    const { packages } = await bundle([await printOne(planned(text), { interpret })], { environment: "test", format: "cjs" });
    expect(packages.some(({ name }) => name === "undici")).toBe(expected);
  }
});

test("what stands in for a part has all that others import of it", async () => {
  const others = importsOf(sourceFiles("runtime/**/*.ts")).filter(({ typeOnly }) => !typeOnly);
  for (const file of optionalParts.map(fileOf)) {
    expect(others.map(({ to }) => to)).toContain(`runtime/${file}`);
    const standIn = await import(/* @vite-ignore */ `../../../runtime/absent/${basename(file)}`);
    const real = await import(/* @vite-ignore */ `../../../runtime/${file}`);
    expect(Object.keys(standIn).filter((name) => typeof standIn[name] !== typeof real[name])).toEqual([]);
  }
});
