import { expect, test } from "vitest";
import { client } from "../../../compiler/client/index.ts";
import { planned } from "../../harness/compile.ts";

// The type of an answer below 400: the shape that follows from the actions, narrowed by the tests of the interface.

const generated = async (text: string): Promise<string> => (await client(planned(text).plans)) ?? "";

test("tests of an answer narrow what follows from the actions, and say what else is known", async () => {
  const tested = (action: string, test: string): string => `name: Shop
interfaces:
  get: { method: GET, actions: [{ name: A, ${action} }], response: { custom_body: a|A| }, assert: { tests: [{ ${test} }] } }
`;
  const answer = async (action: string, test: string) => {
    const code = await generated(tested(action, test));
    expect(code).not.toContain("GetOutput");
    return /export type GetAnswer = ([\s\S]*?);\n\n/.exec(code)?.[1];
  };
  expect(await answer("json_output: { id: a|headers::x|, b: 1 }", "value: id, is_string: true")).toBe("{ id: string; b: 1 }");
  expect(await answer("input: a|body|", "value: id, is_number: true")).toBe("{ id: number; [name: string]: unknown }");
  const open = await generated(tested("json_output: a|body|", "value: id, is_not_equal_to: 7"));
  expect(open).not.toContain("GetAnswer");
});

test("a test that lets answers below 400 pass says nothing of them", async () => {
  const code = await generated(`name: Shop
interfaces:
  get: { method: GET, actions: [{ name: A, json_output: { id: a|headers::x| } }], response: { custom_body: a|A| }, assert: { http_code_on_error: 200, tests: [{ value: id, is_string: true }] } }
`);
  expect(/export type GetAnswer = (.*);/.exec(code)?.[1]).toBe("{ id: unknown } | null");
});

test("a durable run may answer that it goes on without its caller", async () => {
  const sent = async (rest: string): Promise<string | undefined> => {
    const code = await generated(`name: Shop\ninterfaces:\n  get: { method: GET, ${rest}, response: { custom_body: a|A| } }\n`);
    return /send<(.*?)>\(options/.exec(code)?.[1];
  };
  expect(await sent("actions: [{ name: A, json_output: { id: 1 } }]")).toBe("GetAnswer");
  expect(await sent("durable: true, actions: [{ name: A, json_output: { id: 1 } }]")).toBe("GetAnswer | Accepted");
  expect(await sent("durable: true, respond: early, actions: [{ name: A, json_output: { id: 1 } }]")).toBe("Accepted");
});

test("an answer without a body is undefined, whatever is tested or declared of it", async () => {
  const sent = async (rest: string): Promise<string | undefined> => {
    const code = await generated(`name: Shop\ninterfaces:\n  get: { method: GET, ${rest} }\n`);
    return /send<(.*?)>\(options/.exec(code)?.[1];
  };
  const tests = "assert: { http_code_on_success: 204, tests: [{ value: a, is_equal_to: 1 }] }";
  expect(await sent(`actions: [{ name: A, json_output: { a: 1 } }], ${tests}`)).toBe("undefined");
  const produces = "produces: { schema: { type: object } }";
  const ended = "actions: [{ name: A, response_on_success: { http_code: 204 } }, { name: B, json_output: 1 }]";
  expect(await sent(`${produces}, ${ended}`)).toBe("GetOutput | undefined");
});
