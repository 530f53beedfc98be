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
