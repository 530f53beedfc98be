import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import type { JsonObject } from "#runtime/value/json.ts";
import { stub } from "../../../harness/sockets.ts";
import { desk, kept, peer } from "./desk.ts";

// The client half of the suite of conformance of MCP (`@modelcontextprotocol/conformance`) against agents with tools of a server. The
// package brings more than a hundred others, so this repository does not depend on it: `npm install --no-save` of it will do, or
// PIPEWRIGHT_TEST_MCP_CONFORMANCE names its `dist/index.js`.
// Scenarios of OAuth and of questions to a person are not among these: an agent has its credentials from `headers`, and nobody to ask.

const scenarios = [
  ...["initialize", "tools_call", "sse-retry", "request-metadata", "http-standard-headers", "http-custom-headers"],
  ...["http-invalid-tool-headers", "json-schema-ref-no-deref", "json-schema-2020-12-preservation"],
];
const modules = fileURLToPath(new URL("../../../../node_modules/", import.meta.url));
const suite = process.env.PIPEWRIGHT_TEST_MCP_CONFORMANCE ?? join(modules, "@modelcontextprotocol/conformance/dist/index.js");
const isHere = existsSync(suite);
if (!isHere)
  console.log("skipped: the suite of conformance of MCP is not installed; PIPEWRIGHT_TEST_MCP_CONFORMANCE names its dist/index.js");

const client = fileURLToPath(new URL("../../../harness/conformance/mcp-client.ts", import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "pipewright-conformance-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const agent = `
interfaces:
  ask:
    output: http
    method: POST
    show_error_detail: true
    actions:
      - name: A
        agent:
          model: { api: openai, url: a|env::MODEL|, name: m1 }
          prompt: Use every tool.
          tools: [{ mcp: { url: a|env::TOOLS| }, allow: ["*"] }]
`;

test.skipIf(!isHere).each(scenarios)("%s", async (scenario) => {
  const asks = kept(
    await stub(async (response, _, body) => {
      const wanted = JSON.parse(body) as Wanted; // the client above
      const model = await peer("openai", (asked, index) => {
        const calls = index > 0 ? [] : callsOf(wanted, asked);
        return calls.length === 0 ? { text: "Done." } : { calls };
      });
      const { ask } = await desk(agent, model.url, { env: { TOOLS: wanted.url } });
      const { status, body: said } = await ask("/ask", {});
      response.writeHead(status).end(JSON.stringify(said));
    }),
  );
  const { status, out } = await ran(asks.url, scenario);
  expect(out).toMatch(/Passed: (\d+)\/\1, 0 failed, 0 warnings/);
  expect(status).toBe(0);
});

/** The suite runs in a folder of its own, where it leaves its results. */
async function ran(url: string, scenario: string) {
  const command = `"${process.execPath}" "${client}"`;
  const child = spawn(process.execPath, [suite, "client", "--command", command, "--scenario", scenario], {
    ...{ cwd: scratch, env: { ...process.env, DESK: url }, stdio: ["ignore", "pipe", "pipe"] },
  });
  const ended = new Promise<number | null>((done) => child.once("close", done));
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { status: await ended, out: `${out}${err}` };
}

interface Wanted {
  readonly url: string;
  readonly scenario: string;
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: JsonObject }[];
}

/** The calls that a scenario wants of a client; otherwise one of each tool, with a value for each of its members. */
function callsOf({ scenario, toolCalls }: Wanted, asked: JsonObject) {
  // Its server lists tools and answers nothing else.
  if (scenario === "json-schema-ref-no-deref") return [];
  // A model leaves out what it would call null where a schema has no null: such arguments are refused before they leave.
  const given = ([, value]: readonly [string, unknown]): boolean => value !== null;
  if (toolCalls !== undefined)
    return toolCalls.map((call) => ({ name: call.name, args: Object.fromEntries(Object.entries(call.arguments).filter(given)) }));
  const offered = ((asked.tools ?? []) as JsonObject[]).map((each) => each.function as JsonObject);
  const focal = offered.find(({ name }) => name === "json_schema_2020_12_tool");
  return offered.map(({ name, parameters }) => ({
    name: String(name),
    args: name === "json_schema_echo" ? { schema: focal?.parameters ?? null } : exampleOf(parameters as JsonObject),
  }));
}

const exampleOf = ({ properties = {} }: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(properties as JsonObject).map(([name, schema]) => [name, example[String((schema as JsonObject).type)] ?? "text"]),
  );

const example: JsonObject = { number: 5, integer: 5, boolean: true, object: {}, array: [] };
