import { expect, test } from "vitest";
import { planTexts } from "../../../compiler/pipeline.ts";
import { processorMs } from "../../laws/block/yardstick.ts";

// Long texts take about as much time as their length suggests. Before, these took two minutes, 4 s and 4 s.

const configuration = (action: object): string =>
  JSON.stringify({
    name: "t",
    global: { databases: { main: { driver: "sqlite", conn_string: "sqlite://x.db" } } },
    interfaces: { i: { method: "POST", actions: [{ name: "A", ...action }] } },
  });

test.each<[string, object]>([
  ["one word behind a marker", { json_output: `a|body|${"x".repeat(400_000)}` }],
  ["a query with many values", { database: "main", query: `INSERT INTO t VALUES (${Array(6_000).fill("?").join(", ")})` }],
  ["a query with many markers of other tools", { database: "main", query: `SELECT a|body::x|, ${"$a.".repeat(6_000)}` }],
])("%s", (_, action) => {
  const text = configuration(action);
  expect(processorMs(() => planTexts([{ file: "t.yaml", text }]))).toBeLessThan(3_000);
});
