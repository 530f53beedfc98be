import { type ServerResponse, validateHeaderName, validateHeaderValue } from "node:http";
import type { FastifyReply } from "fastify";
import type { Outgoing } from "../triggers/http/outgoing.ts";

/**
 * Writes an answer by way of a reply of Fastify, so that the hooks of the application see it and may change it. The head is checked at
 * once, as `ServerResponse` does, and sent after the hooks.
 */
export class ReplyOutgoing implements Outgoing {
  readonly #reply: FastifyReply;
  readonly #raw: ServerResponse;
  #isDecided = false;
  #hasType = false;

  constructor(reply: FastifyReply) {
    this.#reply = reply;
    this.#raw = reply.raw;
  }

  get statusCode(): number {
    return this.#raw.statusCode;
  }

  get statusMessage(): string {
    return this.#raw.statusMessage;
  }

  set statusMessage(words: string) {
    this.#raw.statusMessage = words;
  }

  get headersSent(): boolean {
    return this.#isDecided || this.#isAnswered;
  }

  get writableEnded(): boolean {
    return this.#raw.writableEnded;
  }

  get destroyed(): boolean {
    return this.#raw.destroyed;
  }

  writeHead(status: number, head: readonly string[]): void {
    const headers = pairsOf(head);
    for (const [name, value] of headers) {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    }
    // The headers are checked here, because Node checks them only when it writes the head, which is too late to answer 500.
    if (status > 999) throw new RangeError(`no status: ${status}`);
    if (this.statusMessage) validateHeaderValue("status", this.statusMessage);
    this.#isDecided = true;
    if (this.#isAnswered) return;
    // `reply.code` takes no status above 599.
    this.#raw.statusCode = status;
    for (const [name, value] of headers) this.#set(name, value);
  }

  /** Ends the answer. An empty body without a type stays without one. */
  end(body: string | Buffer = ""): void {
    // The application has already answered itself, because its `handlerTimeout` is over.
    if (this.#isAnswered) return;
    const isBare = this.statusCode === 204 || this.statusCode === 304 || (body.length === 0 && !this.#hasType);
    this.#reply.serializer(asItIs).send(isBare ? null : body);
  }

  destroy(): void {
    this.#reply.hijack();
    this.#raw.destroy();
  }

  /** A failed `writeHead` leaves no headers, so that there are none to list. */
  getHeaderNames(): string[] {
    return [];
  }

  removeHeader(): void {
    // The reply holds no headers of this answer that would have to be removed.
  }

  on(event: "close", listener: () => void): void {
    this.#raw.on(event, listener);
  }

  once(event: "close", listener: () => void): void {
    this.#raw.once(event, listener);
  }

  /** True when the application has answered, by a hook or a timeout. */
  get #isAnswered(): boolean {
    return this.#reply.sent || this.#raw.headersSent;
  }

  /** Sets a header. It replaces a header of a hook, while cookies are added to each other. */
  #set(name: string, value: string): void {
    if (name === "content-length") return; // Fastify counts the body itself, after the hooks
    if (name === "set-cookie") {
      this.#reply.header(name, value);
      return;
    }
    this.#hasType ||= name === "content-type";
    this.#reply.removeHeader(name);
    // `reply.header` would lose a header of the name `__proto__`.
    this.#raw.setHeader(name, value);
  }
}

/** With this serializer, Fastify adds no charset to JSON types. */
const asItIs = (body: unknown): string => body as string; // `end` passes texts only

function pairsOf(head: readonly string[]): readonly (readonly [name: string, value: string])[] {
  const pairs: (readonly [string, string])[] = [];
  for (let i = 0; i + 1 < head.length; i += 2) pairs.push([head[i] ?? "", head[i + 1] ?? ""]);
  return pairs;
}
