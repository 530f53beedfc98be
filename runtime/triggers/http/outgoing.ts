/**
 * Where an answer is written to: a response of `node:http`, or one that goes through an application of the user. It has the members of
 * `ServerResponse` that answers need.
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
  /** The connection is closed, or the answer has been sent. */
  on(event: "close", listener: () => void): unknown;
  once(event: "close", listener: () => void): unknown;
}
