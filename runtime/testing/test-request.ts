import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import type { Interface } from "../run/interface.ts";
import type { Reply } from "../run/response.ts";
import type { Outgoing } from "../triggers/http/outgoing.ts";
import type { Json, JsonObject } from "../value/json.ts";
import { text } from "../value/values.ts";

/** A request as a trigger delivers it. */
export interface TestRequest {
  readonly interface: string;
  readonly trigger: string;
  readonly method?: string | undefined;
  /** The path and the query; by default the route of the interface, filled with the parameters. */
  readonly path?: string | undefined;
  readonly params: JsonObject;
  readonly headers: Readonly<Record<string, string>>;
  /** The body; absent when there is none. */
  readonly body?: Json | undefined;
  /** The address of the caller. */
  readonly ip: string;
}

/** The text of a body: a text unchanged, any other value as JSON. */
export const textOfBody = ({ body }: TestRequest): string | undefined =>
  body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body);

/** The request of a client, in the form in which a server receives it. */
export function messageOf(request: TestRequest, { http }: Interface): IncomingMessage {
  const socket = new Socket();
  Object.defineProperty(socket, "remoteAddress", { value: request.ip });
  const message = new IncomingMessage(socket);
  message.method = (request.method ?? http?.method ?? "GET").toUpperCase();
  message.url = request.path ?? pathOf(http?.route ?? "", request.params);
  message.httpVersion = "1.1";
  const sent = textOfBody(request);
  const bytes = sent === undefined ? undefined : Buffer.from(sent);
  const own = bytes === undefined ? {} : { "content-length": String(bytes.length), ...(typeof request.body === "string" ? {} : json) };
  message.headers = { host: "localhost", ...own, ...lowered(request.headers) };
  if (bytes !== undefined) message.push(bytes);
  message.push(null);
  message.complete = true;
  return message;
}

const json = { "content-type": "application/json" };

const lowered = (headers: TestRequest["headers"]): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/**
 * The path of a request. Parameters of the route are put into the path, all others into the query. The value of `*name` keeps its slashes.
 */
function pathOf(route: string, params: JsonObject): string {
  const left = new Map(Object.entries(params));
  const path = route.replace(/(?<=^|\/)([:*])([A-Za-z_]\w*)/g, (whole, sign: string, name: string) => {
    const value = left.get(name);
    left.delete(name);
    if (value === undefined) return whole;
    return sign === ":" ? encodeURIComponent(text(value)) : text(value).split("/").map(encodeURIComponent).join("/");
  });
  const query = [...left].flatMap(([name, value]) => (Array.isArray(value) ? value : [value]).map((each) => [name, text(each)]));
  const search = query.map(([name = "", value = ""]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join("&");
  return `/${path.replace(/^\//, "")}${search === "" ? "" : `?${search}`}`;
}

/** Keeps an answer instead of sending it. */
export class KeptAnswer implements Outgoing {
  statusCode = 200;
  statusMessage = "";
  headersSent = false;
  writableEnded = false;
  destroyed = false;
  #headers: Record<string, string> = {};
  #body = "";
  readonly #sent: (reply: Reply | undefined) => void;
  #listeners: (() => void)[] = [];

  constructor(sent: (reply: Reply | undefined) => void) {
    this.#sent = sent;
  }

  writeHead(status: number, head: readonly string[]): void {
    for (let i = 0; i + 1 < head.length; i += 2) {
      const name = (head[i] ?? "").toLowerCase();
      // The head has one character for each byte.
      const value = Buffer.from(head[i + 1] ?? "", "latin1").toString();
      const before = this.#headers[name];
      this.#headers[name] = before === undefined ? value : `${before}, ${value}`;
    }
    this.statusCode = status;
    this.headersSent = true;
  }

  end(body: string | Buffer = ""): void {
    this.#body = String(body);
    this.writableEnded = true;
    this.#sent({ status: this.statusCode, headers: this.#headers, body: this.#body });
    for (const tell of this.#listeners.splice(0)) tell();
  }

  destroy(): void {
    this.destroyed = true;
    this.#sent(undefined);
    for (const tell of this.#listeners.splice(0)) tell();
  }

  getHeaderNames(): string[] {
    return Object.keys(this.#headers);
  }

  removeHeader(name: string): void {
    delete this.#headers[name];
  }

  on(_: "close", listener: () => void): void {
    this.#listeners.push(listener);
  }

  once(_: "close", listener: () => void): void {
    this.on("close", listener);
  }
}
