import { error, suggestion, warning } from "./code.ts";

const toolPage = {
  means:
    "Each tool has a name of its own on its MCP server. `server` names an entry of `mcp_servers`; without it the tool is on the default server.",
  wrong: "mcp_servers: { main: {} }\ninterfaces:\n  a: { mcp: { enabled: true, server: mian } }",
  right: "mcp_servers: { main: {} }\ninterfaces:\n  a: { mcp: { enabled: true, server: main } }",
};

const serverPage = {
  means:
    "A server of MCP has an id of 1 to 64 of `a-z`, `0-9` and `-`, which is its path `/mcp/<id>`. One of them may be the default of the organisation and environment, which answers at `/mcp`.",
  wrong: "mcp_servers: { Main Server: { default: true } }",
  right: "mcp_servers: { main: { default: true, title: Main Server } }",
};

/** 34x: tools of MCP (spec/surfaces 6). */
export const tools = {
  off: warning(
    "PW656",
    () => ({ message: "the tool is not offered until enabled: true", hint: "enabled: false says that it is meant to be off" }),
    {
      means: "An interface is a tool of MCP only when `mcp.enabled` is true: a name, a description or a server alone offers nothing.",
      wrong: "mcp: { tool_name: add }",
      right: "mcp: { enabled: true, tool_name: add }",
    },
  ),
  paramHeader: warning(
    "PW692",
    (reason: string) => ({ message: `x-mcp-header: ${reason}`, hint: "write it at a member of type string, integer or boolean" }),
    {
      means:
        "`x-mcp-header` of a member in `accepts.schema` says that clients of MCP repeat this argument in the header `Mcp-Param-<name>`, where a proxy can read it. The name must fit a header and be unique in the schema, and the member must have the type string, integer or boolean and be reached by `properties` alone. Otherwise clients ignore the tool, and its headers are not checked.",
      wrong: "accepts:\n  schema: { type: object, properties: { size: { type: number, x-mcp-header: Size } } }",
      right: "accepts:\n  schema: { type: object, properties: { size: { type: integer, x-mcp-header: Size } } }",
    },
  ),
  noArguments: warning(
    "PW693",
    () => ({
      message: "accepts.schema takes no object, and the arguments of a tool always are one",
      hint: "write a schema of type object with a member for the list or the value",
    }),
    {
      means:
        "An interface with `mcp` is called with arguments by name, which are its body: always an object. A schema that takes a list, a text or nothing at all cannot describe them, so agents see a tool without arguments; with `enforce: true` every call of the tool fails.",
      wrong: "mcp: { enabled: true }\naccepts: { enforce: true, schema: { type: array, items: { type: string } } }",
      right:
        "mcp: { enabled: true }\naccepts: { enforce: true, schema: { type: object, required: [names], properties: { names: { type: array, items: { type: string } } } } }",
    },
  ),
  serverId: error(
    "PW340",
    (id: string) => ({ message: `'${id}' cannot be the id of an MCP server`, hint: "use 1 to 64 of a-z, 0-9 and -" }),
    serverPage,
  ),
  secondDefault: error(
    "PW341",
    (first: string, second: string) => ({
      message: `MCP servers '${first}' and '${second}' are both the default`,
      hint: "take `default` out of one of them",
    }),
    serverPage,
  ),
  lateDefault: warning(
    "PW341",
    (id: string, config: string) => ({
      message: `'${id}' is not the default MCP server: that of '${config}' is`,
      hint: "among several configurations the first by name wins",
    }),
    serverPage,
  ),
  lateServer: warning(
    "PW342",
    (id: string, config: string) => ({
      message: `MCP server '${id}' is declared by '${config}', too`,
      hint: "what the first configuration by name says of it wins",
    }),
    serverPage,
  ),
  unknownServer: error(
    "PW343",
    (id: string, nearest?: string) => {
      const { words, instead } = suggestion(nearest);
      return { message: `unknown MCP server '${id}'${words}`, instead };
    },
    toolPage,
  ),
  unpublished: warning(
    "PW343",
    (id: string) => ({ message: `no configuration declares the MCP server '${id}'`, hint: "the tool is published nowhere" }),
    toolPage,
  ),
  toolName: error(
    "PW344",
    (name: string) => ({ message: `'${name}' cannot be the name of a tool`, hint: "use 1 to 64 letters, digits, '_', '.' and '-'" }),
    toolPage,
  ),
  toolTwice: error("PW345", (name: string, a: string, b: string) => `the tool '${name}' is offered by '${a}' and '${b}'`, toolPage),
};
