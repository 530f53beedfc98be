import { type Served, type ServeOptions, serve } from "#runtime/process/server.ts";
import type { Json } from "#runtime/value/json.ts";
import { planned, printOne } from "../../harness/compile.ts";
import { evaluate } from "../../harness/evaluate.ts";
import { type Got, send } from "../../harness/sockets.ts";

const text = `
name: desk
mcp_servers:
  front: { title: Service desk, instructions: Look before you write., default: true }
  ops: {}
interfaces:
  ticket/open:
    route: /tickets/:desk
    method: POST
    summary: Open a ticket
    mcp: { enabled: true }
    actions:
      - name: Ticket
        input: a|body|
        assert: { http_code_on_error: 422, tests: [{ value: title, is_not_null: true, error_message: a title is required }] }
      - name: Seen
        run_when_succeeded: [Ticket]
        json_output: { desk: "a|params::desk|", n: "a|params::n|", list: "a|params::list|", trigger: "a|request::trigger|", path: "a|request::path|", host: "a|headers::host|", key: "a|headers::x-key|", jwt: "a|headers::airpipe-jwt|", raw: "a|raw_body|", ip: "a|ip::socket|" }
  words: { mcp: { enabled: true, description: Only words. }, response: { custom_body: plain words }, actions: [] }
  list: { mcp: { enabled: true }, response: { custom_body: "[1, 2]", headers: { content-type: application/json } }, actions: [] }
  picture:
    mcp: { enabled: true }
    response: { custom_body: '{"$mcp": {"content": [{"type": "image", "data": "aGk=", "mimeType": "image/png"}, {"type": "text", "text": "two"}]}}' }
    actions: []
  silent: { output: none, mcp: { enabled: true }, actions: [{ name: A, input: a|body| }] }
  closed: { mcp: { enabled: true }, network: { ip: { deny: [127.0.0.1] }, on_deny: { body: { no: entry } } }, actions: [] }
  slow: { mcp: { enabled: true }, actions: [{ name: Wait, delay: 60s }] }
  secret: { mcp: { enabled: true, list_authorizer: gate }, actions: [{ name: A, input: a|body| }] }
  vault: { mcp: { enabled: true, list_authorizer: gate }, actions: [{ name: A, input: a|body| }] }
  gate:
    actions:
      - { name: Asked, input: a|body|, assert: { tests: [{ value: tools, is_equal_to: [secret, vault] }, { value: server, is_equal_to: front }] } }
      - name: Token
        input: a|headers|
        run_when_succeeded: [Asked]
        assert: { http_code_on_error: 401, tests: [{ value: airpipe-jwt, is_equal_to: good }] }
  restart: { mcp: { enabled: true, server: ops, tool_name: restart.now }, actions: [{ name: Done, input: a|body| }] }
  untold: { actions: [] }
  sized:
    mcp: { enabled: true }
    accepts: { schema: { type: object, properties: { region: { type: string, x-mcp-header: Region }, size: { type: integer, x-mcp-header: Size }, deep: { type: object, properties: { on: { type: boolean, x-mcp-header: On } } } } } }
    actions: [{ name: Done, input: a|body| }]
  off: { mcp: { enabled: false }, actions: [] }
`;

/** Processes that end with the tests. */
export const running: Served[] = [];

/** Ends what the tests have started. */
export async function closeAll(): Promise<void> {
  await Promise.all(running.splice(0).map((each) => each.close()));
}

/** Serves a configuration. */
export async function started(config: string, options: ServeOptions = {}): Promise<string> {
  const { code } = await printOne(planned(config));
  const served = await serve([await evaluate(code)], {
    port: 0,
    address: "127.0.0.1",
    log: () => undefined,
    noticeMs: 0,
    metricsBind: undefined,
    ...options,
  });
  running.push(served);
  return served.url;
}

/** The address of the desk. */
export let url = "";

/** Serves the desk. */
export async function startDesk(): Promise<void> {
  url = await started(text, { env: { PIPEWRIGHT_MCP_ORIGINS: "https://desk.example, https://other.example" } });
}

/** The path of its tools. */
export const path = "/mcp";

/** The head of a message. */
export const asJson = { "content-type": "application/json" };

/** One message; `more` are headers. */
export const post = (message: object | string, more: Record<string, string> = {}, to = path): Promise<Got> =>
  send(url, to, { method: "POST", headers: { ...asJson, ...more }, body: typeof message === "string" ? message : JSON.stringify(message) });

/** A message. */
export const rpc = (method: string, params?: object, id: Json = 1): object => ({
  jsonrpc: "2.0",
  id,
  method,
  ...(params === undefined ? {} : { params }),
});

/** A call of a tool. */
export const call = (name: string, args?: object): object =>
  rpc("tools/call", { name, ...(args === undefined ? {} : { arguments: args }) });

/** The message of an answer. */
export const told = ({ text: body }: Got) => JSON.parse(body);

/** The head of a message of the newer era. */
export const modernMeta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} };

/** A message of the newer era. */
export const modern = (method: string, params: object = {}, headers: Record<string, string> = {}): Promise<Got> =>
  post(rpc(method, { ...params, _meta: modernMeta }), { "mcp-protocol-version": "2026-07-28", "mcp-method": method, ...headers });
