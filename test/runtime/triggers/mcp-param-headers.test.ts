import { afterAll, beforeAll, expect, test } from "vitest";
import type { Json } from "#runtime/value/json.ts";
import type { Got } from "../../harness/sockets.ts";
import { call, closeAll, modern, post, startDesk, told } from "./mcp-desk.ts";

// Headers that repeat arguments of a call for proxies say the same as the call (spec/surfaces 6).

afterAll(closeAll);

beforeAll(startDesk);

/** A call of the tool whose arguments are in headers, too. */
const sized = (args: object, headers: Record<string, string>): Promise<Got> =>
  modern("tools/call", { name: "sized", arguments: args }, { "mcp-name": "sized", ...headers });

test.for<readonly [name: string, got: () => Promise<Got>]>([
  ["without the header of an argument", () => sized({ region: "eu", size: 5 }, { "mcp-param-size": "5" })],
  ["with another text in the header of an argument", () => sized({ region: "eu" }, { "mcp-param-region": "EU" })],
  ["with another number in it", () => sized({ size: 5 }, { "mcp-param-size": "6" })],
  ["with a header for an argument that is absent", () => sized({ size: 5 }, { "mcp-param-size": "5", "mcp-param-region": "eu" })],
  ["with a header for an argument that is null", () => sized({ region: null }, { "mcp-param-region": "eu" })],
  ["with a header for an argument that is a list", () => sized({ region: ["us"] }, { "mcp-param-region": "eu" })],
  ["with an empty header for an argument that is absent", () => sized({}, { "mcp-param-region": "" })],
  ["with a header for a member of an argument that is absent", () => sized({}, { "mcp-param-on": "true" })],
  ["with Base64 in it that is none", () => sized({ region: "eu" }, { "mcp-param-region": "=?base64?ZXU?=" })],
  ["with Base64 in it of another text", () => sized({ region: "eu" }, { "mcp-param-region": "=?base64?dXM=?=" })],
])("a call is refused %s", async ([, got]) => {
  const answer = await got();
  expect([answer.status, told(answer).error.code]).toEqual([400, -32020]);
});

test("a call is taken when the headers of its arguments are theirs", async () => {
  const taken: readonly (readonly [Json & object, Record<string, string>])[] = [
    [{}, {}],
    [{ region: null, deep: {} }, {}],
    [{ region: ["eu"] }, { "mcp-param-other": "of a tool that is not this one" }],
    // JSON holds such a number no more exactly than a double does.
    [{ size: 2 ** 60 }, { "mcp-param-size": "1152921504606846976" }],
    [
      { region: "eu", size: 5, deep: { on: true } },
      { "mcp-param-region": "eu", "mcp-param-size": "5.0", "mcp-param-on": "true" },
    ],
    [{ region: "Zürich" }, { "mcp-param-region": "=?base64?WsO8cmljaA==?=" }],
  ];
  for (const [args, headers] of taken) expect((await sized(args, headers)).status).toBe(200);
  expect((await post(call("sized", { region: "eu" }))).status).toBe(200);
});
