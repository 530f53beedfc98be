import { expect, it } from "vitest";
import { b64_encode, prepare } from "#runtime/features/transforms/b64_encode.ts";
import type { Json } from "#runtime/value/json.ts";
import { idleAct } from "../../harness/idle-act.ts";

const nested = (levels: number): Json => Array.from({ length: levels }).reduce<Json>((a) => ({ a }), "x");

it("what is converted inside of what is converted does not grow without bounds", () => {
  const everyA = prepare("$..a");
  expect(JSON.stringify(b64_encode(nested(20), everyA, idleAct))).toHaveLength(9124);
  expect(() => b64_encode(nested(128), everyA, idleAct)).toThrow("output is over the limit of 67108864 characters");
});

it("nor do all the parts of a value together", () => {
  const everything = prepare({ json_path: "$..*", key: "all" });
  expect(() => b64_encode({ a: nested(60), text: "x" }, everything, idleAct)).not.toThrow();
  const wide = Array.from({ length: 60 }).reduce<Json>((a) => ({ a }), "x".repeat(1_000_000));
  expect(() => b64_encode(wide, everything, idleAct)).toThrow("output is over the limit of 67108864 characters");
});
