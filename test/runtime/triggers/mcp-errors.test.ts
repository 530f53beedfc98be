import { afterAll, expect, test } from "vitest";
import { type Got, send } from "../../harness/sockets.ts";
import { asJson, call, closeAll, path, started, told } from "./mcp-desk.ts";

afterAll(closeAll);

test("an error of a tool with an output schema has no structured content, against which clients would hold it", async () => {
  const other = await started(`
name: schemas
interfaces:
  pay:
    mcp: { enabled: true }
    produces: { schema: { type: object, required: [paid], properties: { paid: { type: boolean } } } }
    response: { custom_body: a|A| }
    actions: [{ name: A, input: a|body|, assert: { tests: [{ value: paid, is_not_null: true, error_message: nothing is paid }] } }]
`);
  const ask = async (args: object): Promise<Got> =>
    send(other, path, { method: "POST", headers: asJson, body: JSON.stringify(call("pay", args)) });
  expect(told(await ask({ paid: true })).result).toMatchObject({ structuredContent: { paid: true }, isError: false });
  const { result } = told(await ask({}));
  expect(result).toEqual({ content: [{ type: "text", text: "{}" }], isError: true });
});

test("more names than a form may have fields are bad parameters, also beside the arguments", async () => {
  const other = await started(`
name: wide
interfaces:
  take: { mcp: { enabled: true }, actions: [{ name: A, json_output: 1 }] }
`);
  const names = (count: number): object => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 1]));
  const ask = async (message: object): Promise<Got> =>
    send(other, path, { method: "POST", headers: asJson, body: JSON.stringify(message) });
  const error = { code: -32602, message: "Invalid params: more than 10000 names" };
  expect(told(await ask(call("take", names(10_000)))).result).toMatchObject({ isError: false });
  expect(told(await ask(call("take", names(10_001)))).error).toEqual(error);
  expect(told(await ask({ jsonrpc: "2.0", id: 1, method: "tools/list", params: names(10_001) })).error).toEqual(error);
  expect(told(await ask(call("take", { list: Array(20_000).fill(1), one: names(20_000) }))).result).toMatchObject({ isError: false });
  expect((await ask({ jsonrpc: "2.0", method: "notifications/x", params: names(10_001) })).status).toBe(202);
});
