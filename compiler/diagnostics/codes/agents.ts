import { error } from "./code.ts";

const interfaceTool = "agent: { model: { api: openai, name: m }, prompt: a|body::text|, tools: [{ interface: look }] }";
const serverTool =
  "agent: { model: { api: openai, name: m }, prompt: a|body::text|, tools: [{ mcp: { url: https://tools.example/mcp }, allow: [search] }] }";

/** 47x and 48x: agents. */
export const agents = {
  prompt: error("PW475", () => ({ message: "an agent needs exactly one of 'prompt' and 'messages'", hint: "prompt: a|body::text|" }), {
    means: "`prompt` is one message of the user; `messages` is a conversation that ends with one.",
    wrong: "agent: { model: { api: openai, name: m } }",
    right: "agent: { model: { api: openai, name: m }, prompt: a|body::text| }",
  }),
  toolForm: error(
    "PW476",
    () => ({ message: "a tool is exactly one of 'interface' and 'mcp'", hint: "interface: look, or mcp: { url: … } with allow" }),
    {
      means: "A tool of an agent is an interface of the same configuration, or tools of one MCP server.",
      wrong: "tools: [{ name: look }]",
      right: interfaceTool,
    },
  ),
  noAllow: error("PW477", () => ({ message: "tools of an MCP server need 'allow'", hint: "name them, or write ['*'] for all" }), {
    means: "A server may offer other tools tomorrow. `allow` names the tools that the model may call; `['*']` says that every one will do.",
    wrong: "tools: [{ mcp: { url: https://tools.example/mcp } }]",
    right: serverTool,
  }),
  allMore: error("PW477", () => ({ message: "'*' stands alone in 'allow'", hint: "leave the names out, or the star" }), {
    means: "A server may offer other tools tomorrow. `allow` names the tools that the model may call; `['*']` says that every one will do.",
    wrong: "tools: [{ mcp: { url: https://tools.example/mcp } }]",
    right: serverTool,
  }),
  itself: error("PW478", (name: string) => ({ message: `'${name}' cannot be a tool of its own agent`, hint: "name another interface" }), {
    means: "An agent that calls the interface in which it runs would call itself without end.",
    wrong: "ask: { actions: [{ name: A, agent: { model: { api: openai, name: m }, prompt: hi, tools: [{ interface: ask }] } }] }",
    right: "ask: { actions: [{ name: A, agent: { model: { api: openai, name: m }, prompt: hi, tools: [{ interface: look }] } }] }",
  }),
  toolTwice: error("PW479", (name: string) => ({ message: `two tools are called '${name}'`, hint: "give one of them another 'name'" }), {
    means:
      "The model calls a tool by its name: at most 64 letters, digits, `_` and `-`; any other character becomes `_`. `name` replaces the name of the interface; beside `mcp` it stands in front of the names of all tools.",
    wrong: "tools: [{ interface: a/b }, { interface: a_b }]",
    right: "tools: [{ interface: a/b }, { interface: a_b, name: other }]",
  }),
  confirm: error(
    "PW480",
    () => ({
      message: "'confirm' needs runs that outlive the process, and that of an authorizer does not",
      hint: "leave it out, or take the tool out",
    }),
    {
      means: "A client waits for the outcome of an authorizer: its run is not stored, so it cannot wait until a person confirms a call.",
      wrong:
        "room: { ws: true, subscribe_authorizer: may }\nmay: { actions: [{ name: A, agent: { …, tools: [{ interface: pay, confirm: true }] } }] }",
      right: "room: { ws: true, subscribe_authorizer: may }\nmay: { actions: [{ name: A, agent: { …, tools: [{ interface: look }] } }] }",
    },
  ),
  askerCircle: error(
    "PW484",
    (asker: string, owner: string) => ({
      message: asker === owner ? `'${owner}' cannot tell of its own calls` : `'${asker}' leads back to '${owner}', whose calls it tells of`,
      hint: "name an interface that only sends the message",
    }),
    {
      means: "The interface of `confirm` runs before the call waits. If it ran the same agent again, the agent would ask without end.",
      wrong: "ask: { actions: [{ name: A, agent: { …, tools: [{ interface: pay, confirm: { interface: ask } }] } }] }",
      right: "ask: { actions: [{ name: A, agent: { …, tools: [{ interface: pay, confirm: { interface: notify } }] } }] }",
    },
  ),
  toolField: error(
    "PW481",
    (field: string, owner: string) => ({ message: `'${field}' belongs to tools with '${owner}'`, hint: "leave it out" }),
    {
      means: "`description` belongs beside `interface`, `allow` beside `mcp`: elsewhere they would be ignored.",
      wrong: "tools: [{ interface: look, allow: [look] }]",
      right: interfaceTool,
    },
  ),
  plainServer: error(
    "PW482",
    (url: string) => ({ message: `'${url}' is no https URL`, hint: "begin with https://, or call this machine" }),
    {
      means:
        "The answers of a tool decide what the model does next, so nobody on the way may change them. Plain HTTP is only for this machine.",
      wrong: "tools: [{ mcp: { url: http://tools.example/mcp }, allow: [search] }]",
      right: serverTool,
    },
  ),
  outputSchema: error("PW483", (reason: string) => ({ message: `the schema of 'output' is wrong: ${reason}` }), {
    means: "`output.schema` is a JSON Schema of the draft 2020-12. The answer of the model must satisfy it.",
    wrong: "output: { schema: { type: text } }",
    right: "output: { schema: { type: object, required: [kind], properties: { kind: { type: string } } } }",
  }),
};
