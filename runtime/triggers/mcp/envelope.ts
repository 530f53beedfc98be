import type { IncomingHttpHeaders } from "node:http";
import { isObject, type Json, type JsonObject, own } from "../../value/json.ts";

// The checks before a message reaches the library: the order and the codes of spec/surfaces 6.

/**
 * The supported versions of the protocol, the newest first. In modern versions each request stands alone; clients of legacy versions send
 * `initialize` first.
 */
const modernVersions: readonly string[] = ["2026-07-28"];
export const legacyVersions: readonly string[] = ["2025-11-25", "2025-06-18", "2025-03-26"];
export const versions: readonly string[] = [...modernVersions, ...legacyVersions];

/** A JSON-RPC message of a client. Without an `id` it is a notification. */
export interface RpcMessage {
  readonly jsonrpc: "2.0";
  readonly method: string;
  readonly id?: string | number;
  readonly params?: JsonObject;
}

/** An error as the answer to a message. */
export interface RpcFailure {
  readonly status: number;
  readonly id: string | number | null;
  readonly error: { readonly code: number; readonly message: string; readonly data?: Json };
}

export type Envelope = { readonly message: RpcMessage; readonly isModern: boolean };

/** The answer to a text that is no JSON, or no JSON that is accepted, with the reason. */
export const unparsedFor = (reason?: string): RpcFailure => ({
  status: 400,
  id: null,
  error: { code: -32700, message: reason === undefined ? "Parse error" : `Parse error: ${reason}` },
});

/** The code of the error for a header that contradicts the message. */
export const headerMismatch = -32020;

const invalid = (message: string, id: string | number | null = null): RpcFailure => ({ status: 400, id, error: { code: -32600, message } });

/** The error for a header that contradicts the message. */
export const disagreement = (id: string | number | null, header: string, reason: string): RpcFailure => {
  const message = `Bad Request: the request headers and body disagree: ${reason}`;
  return { status: 400, id, error: { code: headerMismatch, message, data: { mismatch: { header, body: reason } } } };
};

/** Reads a message, and the era of the protocol to which it belongs. */
export function envelopeOf(value: Json, headers: IncomingHttpHeaders): Envelope | RpcFailure {
  if (Array.isArray(value)) return invalid("Invalid Request: batches are not supported");
  const message = isObject(value) ? messageOf(value) : undefined;
  if (message === undefined) return invalid("Invalid Request");
  const { id = null, params } = message;
  const [header, inMeta] = [headers["mcp-protocol-version"], statedIn(params)];
  if (header !== undefined && inMeta !== undefined && header !== inMeta) {
    return disagreement(id, "MCP-Protocol-Version", "the version in _meta is another one");
  }
  const stated = header ?? inMeta;
  if (stated !== undefined && !isSpoken(stated)) return unsupported(id, stated as Json); // Node gives a text
  return { message, isModern: modernVersions.includes(String(stated)) };
}

const isSpoken = (version: unknown): boolean => typeof version === "string" && versions.includes(version);

const unsupported = (id: string | number | null, requested: Json): RpcFailure => {
  const data = { supported: [...versions], requested };
  return { status: 400, id, error: { code: -32022, message: "Unsupported protocol version", data } };
};

function messageOf(value: JsonObject): RpcMessage | undefined {
  const { jsonrpc, method, id, params } = value;
  if (jsonrpc !== "2.0" || typeof method !== "string") return undefined;
  const hasId = Object.hasOwn(value, "id");
  if (hasId && typeof id !== "string" && !Number.isSafeInteger(id)) return undefined;
  if (params !== undefined && !isObject(params)) return undefined;
  return {
    jsonrpc,
    method,
    ...(hasId ? { id: id as string | number } : {}), // by the line above
    ...(params === undefined ? {} : { params }),
  };
}

function statedIn(params: JsonObject | undefined): Json | undefined {
  const meta = params === undefined ? undefined : own(params, "_meta");
  return meta !== undefined && isObject(meta) ? own(meta, "io.modelcontextprotocol/protocolVersion") : undefined;
}
