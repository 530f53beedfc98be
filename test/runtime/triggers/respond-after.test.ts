import { describe, expect, test } from "vitest";
import { send } from "../../harness/sockets.ts";
import { until } from "../../harness/until.ts";
import { connect, key, serving } from "./ws/ws-serving.ts";

// `respond_after` beside HTTP: a frame of a socket and a call of a tool are answered when the named actions have settled, or with the
// failure of one.

const text = `
name: after
interfaces:
  hook:
    ws: "on"
    mcp: { enabled: true }
    respond: early
    respond_after: [Verify]
    log: { msg: hook ended, on: any }
    actions:
      - name: Verify
        input: a|body|
        assert: { http_code_on_error: 401, error_message: not signed, tests: [{ value: signed, is_equal_to: true }] }
      - { name: Work, delay: 30ms }
`;

const ended = (log: readonly { readonly msg?: unknown }[]): number => log.filter(({ msg }) => msg === "hook ended").length;

describe.each([
  ["printed", false],
  ["walked", true],
])("%s", (_, interpret) => {
  test("over a socket", async () => {
    const service = await serving(text, { interpret });
    const client = await connect(service, "hook", { headers: { "x-api-key": key } });
    expect(await client.ask({ signed: true })).toEqual({ accepted: true, request_id: expect.any(String) });
    await until(() => expect(ended(service.log)).toBe(1));
    const refused = await client.ask({ signed: false });
    expect(refused).toMatchObject({ data: { Verify: { error: "not signed" } } });
    expect(refused).not.toHaveProperty("data.Work");
  });

  test("over MCP", async () => {
    const service = await serving(text, { interpret });
    const call = async (signed: boolean) => {
      const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
      const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "hook", arguments: { signed } } };
      const { status, text } = await send(service.url, "/mcp", { method: "POST", headers, body: JSON.stringify(body) });
      const { result } = JSON.parse(text);
      return { status, isError: result.isError, said: result.content[0].text };
    };
    expect(await call(true)).toMatchObject({ status: 200, isError: false, said: expect.stringContaining('"accepted":true') });
    await until(() => expect(ended(service.log)).toBe(1));
    const refused = await call(false);
    expect(refused).toMatchObject({ status: 200, isError: true, said: expect.stringContaining("not signed") });
    expect(refused.said).not.toContain("Work");
  });
});
