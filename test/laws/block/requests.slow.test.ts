import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type BlockService, blockService, filled as filledWith } from "./service.ts";

// No request blocks other requests of the service for long, whatever its ten megabytes contain.

const bytes = 10_400_000;

const filled = (part: string | ((i: number) => string), brackets?: readonly [string, string], between?: string): string =>
  filledWith(bytes, part, brackets, between);

const list = (count: number, part: (i: number) => string): string => `[${Array.from({ length: count }, (_, i) => part(i)).join(",")}]`;

const tree = (levels: number): string => (levels === 0 ? "1" : `[${tree(levels - 1)},${tree(levels - 1)}]`);

const json = "application/json";
const form = "application/x-www-form-urlencoded";
const text = "text/plain";
const multipart = "multipart/form-data; boundary=XX";

const part = '--XX\r\ncontent-disposition: form-data; name="f"\r\n\r\nv\r\n';

const requests: readonly (readonly [what: string, path: string, type: string, body: () => string])[] = [
  ["different names", "take", json, () => filled((i) => `"k${i}":1`, ["{", "}"])],
  ["as many different names as may be", "echo", json, () => `{${list(190_000, (i) => `"k${i}":1`).slice(1, -1)}}`],
  ["numbers", "echo", json, () => filled("1")],
  ["texts", "echo", json, () => filled('"a"')],
  ["empty objects", "echo", json, () => list(990_000, () => "{}")],
  ["brackets without end", "take", json, () => "[".repeat(bytes)],
  ["one long text", "echo", json, () => `"${"\\u0041".repeat(bytes / 6)}"`],
  ["lines", "take", "application/x-ndjson", () => "1\n".repeat(1_000_000)],
  ["fields of a form", "take", form, () => filled("a=1", ["", ""], "&")],
  ["ampersands", "take", form, () => "&".repeat(bytes)],
  ["two descents", "query", json, () => tree(18)],
  ["a descent into many", "every", json, () => filled("1")],
  ["a descent that removes", "remove", json, () => filled('{"x":1}')],
  ["rows of CSV", "csv", text, () => `a\n${"1\n".repeat(bytes / 6)}`],
  ["a cell of quotes", "csv", text, () => `"${'""'.repeat(bytes / 2 - 5)}"`],
  ["columns", "csv", text, () => "1,".repeat(bytes / 2)],
  ["siblings", "xml", text, () => filled("<b/>", ["<a>", "</a>"], "")],
  ["references to characters", "xml", text, () => filled("&lt;", ["<a>", "</a>"], "")],
  ["a loop", "loop", json, () => filled("1").slice(0, 2_000_001).concat("]").replace(",]", "]")],
  ["rows for CSV", "to_csv", json, () => list(900_000, (i) => `{"a":${i % 10}}`)],
  ["rows for YAML", "to_yaml", json, () => list(500_000, () => '{"a":1}')],
  ["YAML", "of_yaml", text, () => "- a\n".repeat(bytes / 4)],
  ["rows to be flattened", "flatten", json, () => list(900_000, () => '{"a":1}')],
  ["equal values", "dedupe", json, () => list(900_000, () => '{"a":1}')],
  ["rows for CSV with quotes", "to_csv", json, () => `[{"a":"${'\\"'.repeat(bytes / 2 - 20)}"}]`],
  ["numbers for YAML", "to_yaml", json, () => filled("1")],
  ["a text of lines for YAML", "to_yaml", json, () => `"${"a\\n".repeat(bytes / 3 - 5)}"`],
  ["comments", "xml", text, () => filled("<!---->", ["<a>", "</a>"], "")],
  ["many members to be flattened", "flatten", json, () => list(160_000, () => "[[[[[1]]]]]")],
  ["different numbers", "dedupe", json, () => filled((i) => `${i}`)],
  ["elements of lists", "splice", json, () => filled("1")],
  ["sums", "sum", json, () => list(900_000, () => '{"a":1}')],
  ["sums of as many groups as may be", "sum_groups", json, () => list(200_000, (i) => `{"a":${i},"b":"b${i}"}`)],
  ["calculations", "math", json, () => list(900_000, () => '{"a":1}')],
  ["as many groups as may be", "group", json, () => list(700_000, (i) => `{"a":${i % 190_000}}`)],
  ["markup to be escaped", "escape", text, () => "<".repeat(bytes)],
  ["elements as JSON", "values", json, () => filled("1")],
  ["a text to be replaced", "replace", json, () => `{"a":"${"a".repeat(bytes - 20)}"}`],
  ["comparison with itself", "compare", json, () => list(900_000, () => '{"a":1}')],
  ["a structure", "verify", json, () => list(900_000, () => '{"a":1}')],
  ["groups", "group", json, () => list(700_000, (i) => `{"a":${i}}`)],
  ["a list as text", "join", json, () => filled("1")],
  ["identities", "seen", json, () => list(100_000, (i) => `"${(i * 7_919) % 100_003}"`)],
  ["identities that expire", "seen_for", json, () => list(100_000, (i) => `"${"x".repeat(60)}${(i * 7_919) % 100_003}"`)],
  ["identities that are known", "seen_for", json, () => list(100_000, (i) => `"${"x".repeat(60)}${(i * 7_919) % 100_003}"`)],
  ["too many identities", "seen", json, () => filled((i) => `${i}`)],
  ["a text of matches that read far", "reads_on", json, () => `{"a":"${"a".repeat(100_000)}"}`],
  ["a text of matches that read to its end", "reads_on", json, () => `{"a":"${"a".repeat(4_000_000)}"}`],
  ["a text of matches", "matches", json, () => `{"a":"${"a".repeat(4_000_000)}"}`],
  ["a pattern of JavaScript", "native", json, () => `{"a":"${"ab".repeat(2_000_000)}"}`],
  ["a large pattern", "large", json, () => `{"a":"${"ab".repeat(2_000_000)}"}`],
  ["a match of a whole text with its groups", "groups", json, () => `{"a":"${"a".repeat(4_000_000)}"}`],
  ["a pattern of many places", "places", json, () => `{"a":"${"ab".repeat(2_000_000)}"}`],
  ["a test of many places", "places_test", json, () => `{"a":"${"ab".repeat(2_000_000)}"}`],
  ["many values in a list", "contains", json, () => filled("1")],
  ["a list of which all are allowed", "allowed", json, () => filled("1")],
  ["members to be moved", "move", json, () => list(900_000, () => '{"a":1}')],
  ["members to be moved by path", "move_at", json, () => list(900_000, () => '{"a":1}')],
  ["texts to be replaced by path", "replace_at", json, () => list(850_000, () => '{"a":"a"}')],
  ["texts that are numbers", "numerics", json, () => filled('"1"')],
  ["members to be removed by path", "remove_at", json, () => list(700_000, () => '{"a":1}')],
  ["members to be renamed", "rename", json, () => list(900_000, () => '{"a":1}')],
  ["members to be kept", "keep", json, () => list(900_000, () => '{"a":1}')],
  ["rows to be filtered", "filter", json, () => list(900_000, () => '{"a":1}')],
  ["rows that three transforms edit", "rows", json, () => list(900_000, () => '{"a":1}')],
  ["calculations that are rounded", "rounded", json, () => list(900_000, () => '{"a":1}')],
  ["nested transforms", "nested", json, () => list(900_000, () => '{"a":1}')],
  ["nested transforms that wait", "nested_at", json, () => list(900_000, () => '{"a":"1"}')],
  ["texts for base64", "base64", json, () => filled('"a"')],
  ["a text for base64", "base64_at", json, () => `{"a":"${"a".repeat(bytes - 20)}"}`],
  ["a text for a URL", "uri", json, () => `{"a":"${"<".repeat(bytes - 20)}"}`],
  ["a text for a slug", "slug", json, () => `{"a":"${"aB ".repeat(bytes / 3 - 20)}"}`],
  ["as much YAML as may be", "of_yaml", text, () => Array.from({ length: 14_000 }, (_, i) => `k${i}: v`).join("\n")],
  ["a text of YAML in quotes", "of_yaml", text, () => `'${"a\n".repeat(2_400_000)}'`],
  ["numbers for jq", "jq", json, () => filled("1")],
  ["rows for jq to sort", "jq_sort", json, () => list(900_000, (i) => `{"a":${i % 7}}`)],
  ["rows for jq to group", "jq_group", json, () => list(700_000, (i) => `{"a":${i % 7_000}}`)],
  ["loops in loops of a marker of jq", "marker", json, () => list(3_000, () => "1")],
  ["loops in loops that are too long", "marker", json, () => list(5_000, () => "1")],
  ["descents in descents of a marker of jq", "marker_deep", json, () => list(100, () => list(50, () => "1"))],
  ["many outputs of a marker of jq", "marker_limit", json, () => "1"],
  ["lists that a marker of jq sorts", "marker_sort", json, () => list(20_000, (i) => `${(i * 7_919) % 20_011}`)],
  ["texts that a marker of jq joins", "marker_text", json, () => list(2_000, (i) => `${i}`)],
  ["a marker of jq itself over all", "marker_walked", json, () => filled("1")],
  ["an answer of jq", "marker_answer", json, () => list(3_000, () => "1")],
  ["a message of jq", "marker_log", json, () => list(100, () => list(50, () => "1"))],
  ["a message of jq over all", "marker_log_all", json, () => filled("1")],
  ["a value for the state", "state", json, () => filled("1")],
  ["a value for the log", "log", json, () => filled("1")],
  ["a list to be recorded", "record", json, () => filled("1")],
  ["a text to be recorded", "record", json, () => `"${"a".repeat(bytes - 20)}"`],
  ["parts of a form", "take", multipart, () => `${part.repeat(9_999)}--XX--\r\n`],
  ["too many parts of a form", "take", multipart, () => `${part.repeat(120_000)}--XX--\r\n`],
  ["boundaries of a form", "take", multipart, () => "--XX\r\n".repeat(bytes / 6)],
  ["headers of a part of a form", "take", multipart, () => `--XX\r\n${"X: y\r\n".repeat(bytes / 6 - 10)}\r\n\r\n--XX--\r\n`],
  [
    "parameters of a part of a form",
    "take",
    multipart,
    () => `--XX\r\nContent-Disposition: form-data; name="a"${';a="'.repeat(bytes / 5)}`,
  ],
  ["different items", "unique", json, () => list(1_100_000, (i) => `${i}`)],
  ["different items that are objects", "unique", json, () => list(760_000, (i) => `{"a":${i}}`)],
  ["different items and one twice", "unique", json, () => list(1_100_000, (i) => `"${i % 1_099_999}"`)],
  ["a text for a pattern", "text", text, () => "ab".repeat(2_000_000)],
];

let service: BlockService;
beforeAll(async () => {
  service = await blockService(fileURLToPath(new URL("requests.yaml", import.meta.url)));
});
afterAll(() => service.end());

// Other processes can only lengthen a measurement, so that one try within the limit proves the law.
test.each(requests)("%s", { retry: 5 }, async (_, path, type, body) => {
  const sent = body();
  expect(sent.length).toBeLessThanOrEqual(10_485_760);
  await service.measured(async () => {
    const answer = await fetch(`${service.url}/${path}`, { method: "POST", body: sent, headers: { "content-type": type } });
    await answer.text();
    expect([200, 400, 413, 422, 500]).toContain(answer.status);
  });
});
