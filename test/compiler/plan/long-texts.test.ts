import { expect, test } from "vitest";
import { planTexts } from "../../../compiler/pipeline.ts";
import { processorMs } from "../../laws/block/yardstick.ts";

// The time of long texts grows in proportion to their length. Texts of these lengths took from 7 s to minutes when the time grew with the
// square of the length; now each takes 1.3 s or less on a quiet machine.

const configuration = (action: object, driver = "sqlite", keys: object = {}): string =>
  JSON.stringify({
    name: "t",
    global: { databases: { main: { driver, conn_string: `${driver}://x` } } },
    interfaces: { i: { method: "POST", actions: [{ name: "A", ...action }], ...keys } },
  });

const query = (text: string, driver = "sqlite"): readonly [object, string] => [{ database: "main", query: text }, driver];
const many = (text: string, count: number, between = ", "): string => Array(count).fill(text).join(between);

test.each<[string, readonly [object, string?]]>([
  ["one word behind a marker", [{ json_output: `a|body|${"x".repeat(400_000)}` }]],
  ["a query with many values", query(`INSERT INTO t VALUES (${many("?", 24_000)})`)],
  ["a query with many markers", query(`INSERT INTO t VALUES (${many("a|body::x|", 24_000)})`)],
  ["a query of MySQL with many markers", query(`INSERT INTO t VALUES (${many("a|body::x|", 15_000)})`, "mysql")],
  ["a query with many markers of other tools", query(`SELECT a|body::x|, ${"$a.".repeat(24_000)}`)],
  ["two long rows", query(`SELECT * FROM t WHERE (${many("a", 10_000)}) > (${many("?", 10_000)})`)],
  ["nested brackets", query(`SELECT ${"f(".repeat(60_000)}a|body::x|${")".repeat(60_000)}`)],
  ["a long pipeline of commands", [{ command: { run: "a|body".repeat(24_000) } }]],
  ["a URL with many markers", [{ http: { url: `http://x/${many("a|body::x|", 24_000)}` } }]],
  ["a URL with many markers in its host", [{ http: { url: `http://${many("a|body::x|", 24_000, ".")}/` } }]],
  ["a URL with many segments", [{ http: { url: `http://x/${many("a|body::x|", 24_000, "/")}` } }]],
  ["a path of many indexes", [{ input: "a|body|", post_transforms: [{ extract_value: `a${"[0]".repeat(24_000)}` }] }]],
  ["a long condition", query(`SELECT * FROM t WHERE ${many("a = ?", 24_000, " AND ")}`)],
])("%s", (_, [action, driver]) => {
  const text = configuration(action, driver);
  expect(processorMs(() => planTexts([{ file: "t.yaml", text }]))).toBeLessThan(5_000);
});

test("a route of many segments does not end the compiler", () => {
  const route = Array.from({ length: 24_000 }, (_, i) => `/:p${i}`).join("");
  const text = configuration({ json_output: 1 }, "sqlite", { method: "GET", route });
  expect(processorMs(() => planTexts([{ file: "t.yaml", text }]))).toBeLessThan(5_000);
});
