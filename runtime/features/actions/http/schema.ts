import type { JsonSchema } from "../../feature.ts";

const statusMatcher: JsonSchema = {
  anyOf: [
    { type: "integer", minimum: 100, maximum: 599 },
    { type: "string", pattern: "^(?:[1-5][0-9]{2}|[1-5]xx|any)$" },
  ],
  description: "A status code, a class such as 2xx, or any.",
};

const part: JsonSchema = {
  title: "MultipartPart",
  description: "A part of a multipart body, with one of value, b64 and file_path.",
  type: "object",
  required: ["name"],
  additionalProperties: false,
  properties: {
    name: { type: "string", description: "Name of the field." },
    value: { description: "Content as text; anything else is sent as JSON." },
    b64: { type: "string", description: "Content as Base64." },
    file_path: { type: "string", context: "file_path", description: "File that holds the content; needs PIPEWRIGHT_ALLOW_COMMANDS=true." },
    filename: { type: "string", description: "Name of the file for the receiver." },
    mime: { type: "string", description: "Content type, by default by the name of the file." },
  },
};

const idempotency: JsonSchema = {
  title: "Idempotency",
  description: "Key by which a service recognises a repeated request, the same for all attempts.",
  type: "object",
  additionalProperties: false,
  properties: {
    key: { type: "string", description: "The key, by default a new UUID." },
    header: { type: "string", default: "Idempotency-Key", description: "Header that carries it." },
  },
};

const pagination: JsonSchema = {
  title: "Pagination",
  description: `How further pages are found: by a cursor, a link, or else by numbers. \${page} in the url is the place of the cursor or number.`,
  type: "object",
  additionalProperties: false,
  properties: {
    next_cursor_key: { type: "string", context: "path", description: "Path of the next cursor in a page." },
    next_link_key: { type: "string", context: "path", description: "Path of the next link in a page." },
    next_link_host: { type: "string", description: "Other host that a link may lead to." },
    page_start: { type: "integer", default: 1, description: "Number of the first page." },
    increment: { type: "integer", default: 1, description: "Step from one number to the next." },
    max_pages: { type: "integer", minimum: 1, default: 100, description: "Most pages; the rest is left out with a warning." },
    max_pages_key: { type: "string", context: "path", description: "Path of the number of pages in a page." },
    payload_key: {
      type: "string",
      context: "path",
      description: "Path of the rows in a page, made of names; by default the page is the list.",
    },
  },
};

/** Fields of an `http` block (spec/language 5.1.1). */
export const schema: JsonSchema = {
  type: "object",
  required: ["url"],
  additionalProperties: false,
  properties: {
    url: { type: "string", context: "url", description: "Address to call; values in it are percent-encoded." },
    method: {
      type: "string",
      context: "static",
      title: "method such as GET",
      pattern: "^(?![Cc][Oo][Nn]{2}[Ee][Cc][Tt]$)[\\w!#$%&'*+.^`|~-]+$",
      description: "Method; GET by default, POST when there is a body.",
    },
    headers: {
      type: "object",
      additionalProperties: { context: "header" },
      description: "Request headers; a null value leaves its header out.",
    },
    body: {
      context: "json_text",
      description:
        "Request body: a map or list as JSON, or a map as a form if `content-type` says so; text as a JSON template or as it is.",
    },
    data_type: {
      type: "string",
      enum: ["text", "json", "ndjson", "jsonl", "csv", "xml"],
      description: "How the response body is decoded, instead of by its content type.",
    },
    contract: {
      type: "string",
      context: "static",
      examples: ["users.json#getUser"],
      description:
        "OpenAPI 3 document beside the configuration (JSON or YAML) and the `operationId` that is called, as `users.json#getUser`, or a configuration of pipewright and its interface, as `users.yaml#users/get`. The compiler takes the shape of the answer from it; nothing is checked at run time.",
    },
    expect_status: {
      anyOf: [statusMatcher, { type: "array", minItems: 1, items: statusMatcher }],
      default: ["2xx", 304],
      description: "Statuses that count as success; any other fails the action and keeps its data.",
    },
    timeout: { type: ["string", "number"], format: "duration", default: "30s", description: "Time for one attempt, redirects included." },
    connect_timeout: { type: ["string", "number"], format: "duration", default: "10s", description: "Time to connect." },
    idle_timeout: {
      type: ["string", "number"],
      format: "duration",
      description: "Longest silence once the response has begun; 60s for an event stream, else none.",
    },
    base64_bytes: { type: "string", description: "Request body as Base64." },
    multipart: { type: "array", items: part, description: "Parts of a multipart/form-data body." },
    user: { type: "string", context: "header", description: "User of Basic authentication." },
    pass: { type: "string", context: "header", description: "Password of Basic authentication." },
    bearer_auth: { type: "string", context: "header", description: "Token of Bearer authentication; null sends none." },
    digest_auth_user: { type: "string", context: "header", description: "User of Digest authentication." },
    digest_auth_pass: { type: "string", context: "header", description: "Password of Digest authentication." },
    idempotency,
    stream: {
      type: "boolean",
      default: false,
      description:
        "Read lines of JSON as events, too; an event stream is always read so. The body is {text, events, last, …}. The interface's `stream` may forward the text while it arrives.",
    },
    allowed_hosts: {
      type: "array",
      items: { type: "string", context: "config" },
      description:
        "Hosts that may be called, redirects and further pages included: `api.example.com`, `api.example.com:8443`, `*.example.com` for all names below, `*` for any. Needed where the url comes from data.",
    },
    proxy: { type: "string", description: "Address of a proxy, http or https." },
    ca: { type: "string", description: "Certificates to trust besides the usual ones, as PEM." },
    root_certificates: { type: "array", items: { type: "string" }, description: "PEM certificates, as `ca` but in a list." },
    accept_invalid_certs: { type: "boolean", default: false, description: "Do not check the server's certificate." },
    pagination,
    proxy_body: { type: "boolean", default: false, description: "Send the body of the incoming request, unless there is one here." },
    proxy_method: { type: "boolean", default: false, description: "Use the method of the incoming request, unless there is one here." },
    proxy_query: { type: "boolean", default: false, description: "Add the query of the incoming request." },
    proxy_headers: {
      anyOf: [{ type: "boolean" }, { type: "array", items: { type: "string" } }],
      default: false,
      description: "Headers of the incoming request to send: true for all but those of the connection, or their names.",
    },
  },
};
