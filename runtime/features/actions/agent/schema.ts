import type { JsonSchema } from "../../feature.ts";

const text = (description: string): JsonSchema => ({ type: "string", description });
const fixed = (description: string): JsonSchema => ({ type: "string", context: "static", description });
const count = (description: string, preset: number, minimum: number, maximum: number): JsonSchema => ({
  type: "integer",
  minimum,
  maximum,
  default: preset,
  description,
});
const duration = (description: string, preset: string): JsonSchema => ({
  type: ["string", "number"],
  format: "duration",
  default: preset,
  description,
});

/** Only the configuration says which service is trusted: an address never comes from data. */
const address = (description: string): JsonSchema => ({ type: "string", context: "config", description });

const price: JsonSchema = {
  title: "AgentPrice",
  type: "object",
  additionalProperties: false,
  description: "The price of a million tokens, for `usage.cost` and the metrics.",
  properties: {
    input: { type: "number", minimum: 0, description: "The price of a million tokens that the model reads." },
    output: { type: "number", minimum: 0, description: "The price of a million tokens that the model writes." },
  },
};

const model: JsonSchema = {
  title: "AgentModel",
  description: "The language model.",
  type: "object",
  required: ["api", "name"],
  additionalProperties: false,
  properties: {
    api: { type: "string", enum: ["openai", "anthropic"], context: "static", description: "Protocol of the service." },
    url: address("Base address of the service; by default that of OpenAI or Anthropic."),
    name: text("Name of the model."),
    key: text("API key of the service."),
    headers: { type: "object", description: "Further headers." },
    temperature: { type: "number", minimum: 0, maximum: 2, description: "Temperature." },
    max_tokens: count("Most tokens of one answer.", 1024, 1, 1_000_000),
    timeout: duration("Time for one call of the model.", "60s"),
    price,
  },
};

const message: JsonSchema = {
  title: "AgentMessage",
  description: "A message of the conversation.",
  type: "object",
  required: ["role", "content"],
  additionalProperties: false,
  properties: {
    role: { type: "string", enum: ["user", "assistant"], context: "static", description: "The speaker." },
    content: { description: "A text, or parts of the protocol." },
  },
};

const confirm: JsonSchema = {
  anyOf: [
    { type: "boolean", description: "Whether each call waits until a person confirms it, for a day at most." },
    {
      title: "AgentConfirm",
      type: "object",
      additionalProperties: false,
      description: "How a person hears of a call, and how long the call waits.",
      properties: {
        interface: {
          ...fixed(
            "Interface that is run first, with the body {run, interface, action, tool, args, token, expires_at}, to notify a person.",
          ),
          names: "interface",
        },
        timeout: { ...duration("How long the call waits, at most 30d.", "24h"), context: "static" },
      },
    },
  ],
  default: false,
  context: "static",
  description: "Whether a person has to confirm each call before it runs.",
};

const tool: JsonSchema = {
  title: "AgentTool",
  description: "A tool: an interface of this configuration, or tools of an MCP server.",
  type: "object",
  additionalProperties: false,
  properties: {
    interface: { ...fixed("Interface that the model may call."), names: "interface" },
    name: fixed("Name for the model, by default that of the interface; beside mcp the text before the names of all its tools."),
    description: fixed("Description for the model, by default that of the interface."),
    confirm,
    mcp: {
      title: "AgentMcp",
      description: "An MCP server.",
      type: "object",
      required: ["url"],
      additionalProperties: false,
      properties: {
        url: address("Address of the server: https, or http on this machine."),
        headers: { type: "object", description: "Headers." },
        timeout: duration("Time for one request.", "30s"),
      },
    },
    allow: { type: "array", items: fixed("A tool, or * alone for all."), description: "Tools of the server that the model may call." },
  },
};

const memory: JsonSchema = {
  title: "AgentMemory",
  description: "Keep the conversation in the durable state.",
  type: "object",
  required: ["key"],
  additionalProperties: false,
  properties: {
    key: text("Key of the conversation."),
    namespace: text("Namespace of the key, by default the name of the configuration."),
    max_messages: count("Messages that are kept; results of tools are dropped first.", 40, 1, 1000),
    ttl: duration("How long it is kept after its last message.", "24h"),
  },
};

const output: JsonSchema = {
  title: "AgentOutput",
  description: "The form of the answer: JSON that satisfies a schema.",
  type: "object",
  required: ["schema"],
  additionalProperties: false,
  properties: {
    schema: { context: "static", description: "JSON Schema." },
    retries: count("How often the model may correct an answer that does not satisfy it.", 1, 0, 10),
  },
};

/** Fields of an `agent` block (spec/surfaces 15.1). */
export const schema: JsonSchema = {
  type: "object",
  required: ["model"],
  additionalProperties: false,
  properties: {
    model,
    system: text("The instructions that stand before the conversation."),
    prompt: text("The message of the user."),
    messages: {
      anyOf: [
        { type: "array", items: message, description: "Messages." },
        { type: "string", description: "A marker that gives them." },
      ],
      description: "A conversation in place of a prompt.",
    },
    tools: { type: "array", items: tool, description: "The tools that the model may call." },
    memory,
    output,
    max_turns: count("Most calls of the model.", 8, 1, 50),
    max_tool_calls: count("Most calls of tools.", 32, 0, 1000),
    parallel_tools: count("Tools that run at once.", 4, 1, 32),
    max_tokens_total: count("Most tokens of all calls together.", 200_000, 1, 100_000_000),
    stream: { type: "boolean", default: false, description: "Permit `stream` of the interface to forward the text as it arrives." },
  },
};
