import { expect, test } from "vitest";
import { filesOf, fragmentOf, mostFragment } from "../../../templates/playground/share.ts";

// Links of the playground: what was shared comes back, and what a stranger wrote is refused before it costs anything.

const fragmentWith = async (bytes: Uint8Array<ArrayBuffer>): Promise<string> => {
  const packed = await new Response(new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate-raw"))).bytes();
  return `#v1.${Buffer.from(packed).toString("base64url")}`;
};
const fragmentWithText = (text: string): Promise<string> => fragmentWith(new TextEncoder().encode(text));

test("files come back as they were", async () => {
  const files = [
    ["a.yaml", "name: Ä\ninterfaces: {}\n"],
    ["modules/caller.yaml", "type: Action\u0000\u202e</textarea><script>"],
  ] as const;
  const fragment = await fragmentOf(files);
  expect(fragment).toMatch(/^#v1\.[\w-]+$/);
  expect(await filesOf(fragment ?? "")).toEqual(files);
});

test("what is too long for a link has none", async () => {
  const noise = Array.from({ length: 60_000 }, (_, i) => String.fromCharCode(33 + ((i * i * 7919) % 90))).join("");
  expect(await fragmentOf([["a.yaml", `${noise}${crypto.getRandomValues(new Uint8Array(30_000)).toString()}`]])).toBeUndefined();
  expect(await fragmentOf([["a.yaml", "x".repeat(300_000)]])).toBeUndefined();
});

test.each([
  ["no link of ours", "#/runs"],
  ["another version", "#v2.q1Yq"],
  ["no Base64", "#v1.%%%"],
  ["a length that Base64 has not", "#v1.a"],
  ["nothing that was compressed", `#v1.${Buffer.from("plain text").toString("base64url")}`],
  ["more characters than a link has", `#v1.${"A".repeat(mostFragment)}`],
])("%s is refused", async (_, fragment) => {
  expect(await filesOf(fragment)).toBeUndefined();
});

test.each([
  ["no JSON", "[["],
  ["no list", '{"a.yaml":"x"}'],
  ["no files", "[]"],
  ["a file without a text", '[["a.yaml"]]'],
  ["a text that is none", '[["a.yaml",1]]'],
  ["a name that leads up", '[["../a.yaml","x"]]'],
  ["a name of another kind", '[["a.html","x"]]'],
  ["a name that is markup", '[["<img src=x>.yaml","x"]]'],
  ["two files of one name", '[["a.yaml","x"],["a.yaml","y"]]'],
  ["too many files", JSON.stringify(Array.from({ length: 21 }, (_, i) => [`a${i}.yaml`, ""]))],
  ["nesting that a parser might follow for ever", "[".repeat(200_000)],
])("%s is refused", async (_, text) => {
  expect(await filesOf(await fragmentWithText(text))).toBeUndefined();
});

test("bytes that are no UTF-8 are refused", async () => {
  expect(await filesOf(await fragmentWith(Uint8Array.from([0xff, 0xfe])))).toBeUndefined();
});

test("a fragment that unpacks to far more than a link may hold is given up", async () => {
  // Megabytes of blanks fit into a link.
  const fragment = await fragmentWithText(`[["a.yaml","${" ".repeat(4_000_000)}"]]`);
  expect(fragment.length).toBeLessThan(mostFragment);
  expect(await filesOf(fragment)).toBeUndefined();
});
