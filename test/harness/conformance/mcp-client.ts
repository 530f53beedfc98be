// `node mcp-client.ts URL`: the suite of conformance of MCP starts it as a client of the server at that address. The client under test is
// the agent that the test serves at DESK: this process passes the address and the scenario on to it.

const { DESK = "", MCP_CONFORMANCE_SCENARIO: scenario = "", MCP_CONFORMANCE_CONTEXT: context = "{}" } = process.env;
const body = JSON.stringify({ url: process.argv[2], scenario, ...JSON.parse(context) });
const answer = await fetch(DESK, { method: "POST", body });
console.error(await answer.text());
process.exitCode = answer.ok ? 0 : 1;
