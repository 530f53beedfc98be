import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { parseForm } from "../../formats/form.ts";
import { hopsName, hopsOf } from "../../outgoing/hops.ts";
import type { Request } from "../../run/received.ts";
import type { Refusal } from "../../run/refusals.ts";
import { type Json, type JsonObject, put } from "../../value/json.ts";
import { textOf } from "./body.ts";
import type { Received } from "./received-body.ts";
import { formRefusal } from "./refusal.ts";

/** The parts of a request target. */
export interface RequestTarget {
  readonly path: string;
  readonly query: string;
}

/** Splits the request target; undefined when its bytes are not UTF-8. A request through a proxy names an origin, which is left out. */
export function requestTarget(url: string): RequestTarget | undefined {
  const target = isAscii(url) ? url : utf8(url);
  if (target === undefined) return undefined;
  const local = target.startsWith("/") ? target : target.replace(/^https?:\/\/[^/?]*/i, "");
  const mark = local.indexOf("?");
  // An origin alone stands for its root (RFC 9112, 3.2.2).
  return mark < 0 ? { path: local || "/", query: "" } : { path: local.slice(0, mark) || "/", query: local.slice(mark + 1) };
}

// Node gives one character for each byte.
const isAscii = (url: string): boolean => !/[\x80-\xff]/.test(url);

function utf8(url: string): string | undefined {
  const bytes = Buffer.from(url, "latin1");
  return isUtf8(bytes) ? bytes.toString() : undefined;
}

/** Query and route parameters; a route parameter wins (spec/surfaces 1). Gives a refusal when the query cannot be read. */
export function paramsOf(
  query: string,
  names: readonly string[],
  values: readonly string[],
): { readonly params: JsonObject } | { readonly refusal: Refusal } {
  const read = query === "" ? { fields: {} } : parseForm(query);
  if ("fault" in read) return { refusal: formRefusal(read.fault) };
  for (const [i, name] of names.entries()) put(read.fields, name, values[i] ?? null);
  return { params: read.fields };
}

/** A request as its run reads it. Parts that many runs never read are parsed at their first use. */
export class HttpRequest implements Request {
  readonly id: string;
  readonly caller: Request["caller"];
  readonly path: string;
  readonly params: JsonObject;
  readonly #message: IncomingMessage;
  readonly #received: Received;
  readonly #findIp: () => JsonObject;
  #ip: JsonObject | undefined;

  constructor(
    message: IncomingMessage,
    ids: Pick<Request, "id" | "caller">,
    path: string,
    params: JsonObject,
    received: Received,
    findIp: () => JsonObject,
  ) {
    this.id = ids.id;
    this.caller = ids.caller;
    this.path = path;
    this.params = params;
    this.#message = message;
    this.#received = received;
    this.#findIp = findIp;
  }

  get trigger(): string {
    return "http";
  }

  get method(): string {
    return this.#message.method ?? "GET";
  }

  get body(): Json {
    return this.#received.value;
  }

  get raw_body(): string | null {
    const { sent } = this.#received;
    return sent.length === 0 ? null : textOf(sent.whole);
  }

  get bytes(): Buffer {
    return this.#received.sent.whole;
  }

  get query(): string {
    const { url = "" } = this.#message;
    const mark = url.indexOf("?");
    return mark < 0 ? "" : url.slice(mark + 1);
  }

  get headers(): JsonObject {
    // Node gives strings, and a list for set-cookie; the server joins other repeated headers with `, `.
    return this.#message.headers as JsonObject;
  }

  get hops(): number {
    return hopsOf(this.#message.headers[hopsName]);
  }

  get ip(): JsonObject {
    this.#ip ??= this.#findIp();
    return this.#ip;
  }
}
