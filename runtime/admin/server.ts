import type { IncomingMessage, ServerResponse } from "node:http";
import { ApiKeys, keyOf } from "../keys/api-keys.ts";
import { TriedKeys } from "../keys/tried-keys.ts";
import type { Resource } from "../process/host.ts";
import type { AdminSettings } from "../process/settings/admin-options.ts";
import { SideServer } from "../process/side-server.ts";
import type { JsonObject } from "../value/json.ts";
import { stackOf } from "../value/thrown.ts";
import { answerApi } from "./api.ts";
import { isMeant } from "./caller.ts";
import { order, runsPath } from "./orders.ts";
import type { ApiReply, Watched } from "./watched.ts";

const maxTarget = 4_096;

/** Headers of every answer: no page of another origin may read or frame it, and no cache keeps it. */
export const adminHeaders = {
  "content-type": "application/json",
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
} as const;

/** Serves the admin API to callers with a key of the organisation (spec/surfaces 16). Even a call from this machine needs the key. */
export class AdminServer implements Resource {
  readonly #watched: Watched;
  readonly #settings: AdminSettings;
  readonly #keys: TriedKeys;
  readonly #adminKeys: ApiKeys;
  readonly #server = new SideServer((message, response) => this.#answer(message, response));

  constructor(watched: Watched, settings: AdminSettings) {
    this.#watched = watched;
    this.#settings = settings;
    this.#keys = new TriedKeys([...settings.keys, ...settings.adminKeys], watched.host.monotonic);
    this.#adminKeys = new ApiKeys(settings.adminKeys);
  }

  listen(address: string, port: number): Promise<string> {
    return this.#server.listen(address, port);
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  #answer(message: IncomingMessage, response: ServerResponse): void {
    this.#reply(message, response).then(
      (reply) => reply && say(message, response, reply.status, reply.body, reply.more),
      (error: unknown) => {
        this.#watched.host.log("error", "the admin API cannot answer", { stack: stackOf(error) });
        say(message, response, 503, { error: "unavailable", message: "the store of runs does not answer: see the log" });
      },
    );
  }

  /** A caller without a key learns nothing, not even which paths exist. */
  async #reply(
    message: IncomingMessage,
    response: ServerResponse,
  ): Promise<(ApiReply & { readonly more?: Readonly<Record<string, string>> }) | undefined> {
    const { method, url = "/", socket } = message;
    if (!isMeant(message, this.#settings.hosts)) return { status: 403, body: { error: "forbidden" } };
    const { path, query } = targetOf(url);
    const { shown } = this.#watched;
    if (shown && path === "/console") return shown.page(message, response);
    const address = socket.remoteAddress ?? "";
    const wait = this.#keys.wait(address);
    if (wait > 0) return { status: 429, body: { error: "too_many_wrong_keys" }, more: { "retry-after": String(Math.ceil(wait / 1_000)) } };
    const isRead = method === "GET" || method === "HEAD";
    // An address with a key in its query may be in logs and histories, so that such a key only allows reading.
    const key = keyOf(message, query, this.#settings.queryKeys && isRead);
    if (key === undefined || !this.#keys.accepts(key, address))
      return { status: 401, body: { error: "unauthorized" }, more: { "www-authenticate": "Bearer" } };
    const runs = runsPath(path);
    const isOrder = runs?.order !== undefined;
    if (isOrder ? method !== "POST" : !isRead)
      return { status: 405, body: { error: "method_not_allowed" }, more: { allow: isOrder ? "POST" : "GET, HEAD" } };
    if (url.length > maxTarget) return { status: 414, body: { error: "uri_too_long" } };
    if (runs !== undefined && isOrder) {
      const number = this.#adminKeys.numberOf(key);
      return number === 0 ? readsOnly : order(runs, { message, response }, { key: number, address }, this.#watched);
    }
    query.delete("api_key");
    return (shown?.answers ?? answerApi)(path, new Map(query), this.#watched, message, response);
  }
}

const readsOnly: ApiReply = { status: 403, body: { error: "forbidden", message: "only keys of PIPEWRIGHT_ADMIN_KEYS may change runs" } };

function targetOf(url: string): { readonly path: string; readonly query: URLSearchParams } {
  const mark = url.indexOf("?");
  return mark < 0
    ? { path: url, query: new URLSearchParams() }
    : { path: url.slice(0, mark), query: new URLSearchParams(url.slice(mark + 1)) };
}

/** Sends an object as JSON, or a text unchanged. */
export function say(message: IncomingMessage, response: ServerResponse, status: number, body: JsonObject | string, more = {}): undefined {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  // The body of the request is not read, so that the connection ends.
  const ends = message.headers["content-length"] !== undefined || message.headers["transfer-encoding"] !== undefined;
  response.writeHead(status, {
    ...adminHeaders,
    ...more,
    "content-length": Buffer.byteLength(text),
    ...(ends ? { connection: "close" } : {}),
  });
  response.end(text);
}
