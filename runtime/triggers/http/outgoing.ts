/**
 * The destination of an answer: a response of `node:http`, or one of the user's application. It has the members of `ServerResponse` that
 * answers need.
 */
export interface Outgoing {
  statusCode: number;
  statusMessage: string;
  /** True once the head of the answer is decided. */
  readonly headersSent: boolean;
  readonly writableEnded: boolean;
  readonly destroyed: boolean;
  /** Takes names and values in turns. Throws when they cannot be the head of a message. */
  writeHead(status: number, head: string[]): unknown;
  end(body?: string | Buffer): unknown;
  destroy(): unknown;
  getHeaderNames(): string[];
  removeHeader(name: string): void;
  /** Called when the connection is closed, or the answer has been sent. */
  on(event: "close", listener: () => void): unknown;
  once(event: "close", listener: () => void): unknown;
}
