import type { JsonSchema } from "../../feature.ts";

const statusMatcher: JsonSchema = {
  anyOf: [
    { type: "integer", minimum: 100, maximum: 599 },
    { type: "string", pattern: "^(?:[1-5][0-9]{2}|[1-5]xx|any)$" },
  ],
  description: "A status code, a class such as 2xx, or any.",
};

/** Fields of an `http` block (language.md 5.1.1). */
export const schema: JsonSchema = {
  type: "object",
  required: ["url"],
  additionalProperties: false,
  properties: {
    url: { type: "string", context: "url", description: "Address to call; values in it are percent-encoded." },
    method: {
      type: "string",
      context: "static",
      pattern: "^(?![Cc][Oo][Nn]{2}[Ee][Cc][Tt]$)[A-Za-z]+$",
      description: "Method; GET by default, POST when there is a body.",
    },
    headers: {
      type: "object",
      additionalProperties: { context: "header" },
      description: "Request headers; a null value leaves its header out.",
    },
    body: { context: "json_text", description: "Request body: a map or list as JSON, text as a JSON template or as it is." },
    data_type: {
      anyOf: [
        { type: "string", enum: ["text", "json", "ndjson", "jsonl"] },
        { type: "string", enum: ["csv", "xml"], unsupported: "decoding of csv and xml responses" },
      ],
      description: "How the response body is decoded, instead of by its content type.",
    },
    expect_status: {
      anyOf: [statusMatcher, { type: "array", items: statusMatcher }],
      default: ["2xx", 304],
      description: "Statuses that count as success; any other fails the action and keeps its data.",
    },
    timeout: { type: ["string", "number"], format: "duration", default: "30s", description: "Time for one attempt, redirects included." },
    connect_timeout: { type: ["string", "number"], format: "duration", default: "10s", description: "Time to connect." },
    idle_timeout: {
      type: ["string", "number"],
      format: "duration",
      unsupported: "idle timeout of a stream",
      description: "Longest silence of a stream.",
    },
    base64_bytes: { type: "string", unsupported: "binary request bodies", description: "Request body as Base64." },
    multipart: { type: "array", unsupported: "multipart request bodies", description: "Parts of a multipart/form-data body." },
    user: { type: "string", context: "header", unsupported: "Basic authentication", description: "User of Basic authentication." },
    pass: { type: "string", context: "header", unsupported: "Basic authentication", description: "Password of Basic authentication." },
    digest_auth_user: { type: "string", unsupported: "Digest authentication", description: "User of Digest authentication." },
    digest_auth_pass: { type: "string", unsupported: "Digest authentication", description: "Password of Digest authentication." },
    bearer_auth: {
      type: "string",
      context: "header",
      unsupported: "Bearer authentication",
      description: "Token of Bearer authentication.",
    },
    idempotency: { type: "object", unsupported: "idempotency keys", description: "Key that an upstream recognises a repetition by." },
    stream: { type: "boolean", unsupported: "streamed responses", description: "Forward the response while it arrives." },
    proxy: { type: "string", unsupported: "outbound proxies", description: "Address of a proxy." },
    ca: { type: "string", unsupported: "certificate authorities of one's own", description: "Certificate authority to trust." },
    root_certificates: {
      type: "array",
      unsupported: "certificate authorities of one's own",
      description: "Certificate authorities to trust.",
    },
    accept_invalid_certs: { type: "boolean", unsupported: "unchecked certificates", description: "Do not check the server's certificate." },
    pagination: { type: "object", unsupported: "pagination", description: "How further pages are found." },
    proxy_body: { type: "boolean", unsupported: "passing a request through", description: "Send the body of the incoming request." },
    proxy_method: { type: "boolean", unsupported: "passing a request through", description: "Use the method of the incoming request." },
    proxy_query: { type: "boolean", unsupported: "passing a request through", description: "Send the query of the incoming request." },
    proxy_headers: {
      anyOf: [{ type: "boolean" }, { type: "array" }],
      unsupported: "passing a request through",
      description: "Headers to copy.",
    },
  },
};
