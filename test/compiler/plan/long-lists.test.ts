import { expect, test } from "vitest";
import { provenanceOf } from "../../../compiler/4-plan/inference/provenance.ts";
import { taintOf } from "../../../compiler/5-analyse/secret-flow/values.ts";
import { planTexts } from "../../../compiler/pipeline.ts";
import type { Expr } from "../../../runtime/plan/index.ts";
import { number, unionOf } from "../../../runtime/shapes/shape.ts";
import { complaints } from "../../harness/compile.ts";

// Lists longer than a call has arguments, and chains of variables longer than the stack has room for.

const items: readonly Expr[] = Array.from({ length: 200_000 }, () => ({ op: "lit", value: 1 }) as const);

test("a list with 200,000 items is no end of the compiler", () => {
  const sources = { body: "request", actions: new Map(), data: "configuration", given: "configuration" } as const;
  expect(provenanceOf({ op: "list", items }, sources)).toBe("configuration");
  const clean = taintOf({ op: "lit", value: 1 }, {} as never); // nothing of the scope is read
  expect(taintOf({ op: "list", items }, {} as never)).toBe(clean);
  expect(unionOf(items.map(() => number))).toBe(number);
});

/** The configuration whose variables read each other so often in a row. */
const chain = (length: number): string => {
  const variables = Array.from({ length }, (_, i) => `    V${i}: a|var::V${i + 1}|\n`).join("");
  return `name: chain
global:
  variables:
${variables}    V${length}: 1
interfaces:
  one: { method: GET, actions: [{ name: A, json_output: a|var::V0| }] }
`;
};

test("variables read each other 300 times in a row, and no more", () => {
  const complaintsOf = (length: number) => complaints(planTexts([{ file: "c.yaml", text: chain(length) }]));
  expect(complaintsOf(300)).toEqual([]);
  expect(complaintsOf(301)).toEqual(["c.yaml:4:9: PW700: variables read each other more than 300 deep"]);
  expect(complaintsOf(5_000)).toHaveLength(1);
});
