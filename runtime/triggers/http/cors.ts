import type { IncomingMessage, ServerResponse } from "node:http";

/**
 * Headers of answers that pages may read in addition to the safelisted ones: all headers of this server, and those that clients use for
 * control.
 */
const exposed = "x-request-id, retry-after, etag, location";

/**
 * Tells browsers which pages of other origins may read answers (spec/surfaces 1). Only browsers obey: the server answers a request of any
 * origin.
 */
export class Cors {
  readonly #origins: ReadonlySet<string>;
  readonly #any: boolean;

  /** `origins` are origins as browsers write them, or `*`. */
  constructor(origins: readonly string[]) {
    this.#origins = new Set(origins);
    this.#any = this.#origins.has("*");
  }

  /** Marks an answer with the origin that may read it; headers of the answer itself win. */
  mark({ headers: { origin } }: IncomingMessage, response: ServerResponse): void {
    response.setHeader("vary", "Origin");
    if (origin === undefined || !this.allows(origin)) return;
    response.setHeader("access-control-allow-origin", origin);
    response.setHeader("access-control-expose-headers", exposed);
    // Credentials must not be allowed together with `*`, because any page could then use them.
    if (!this.#any) response.setHeader("access-control-allow-credentials", "true");
  }

  allows(origin: string): boolean {
    return this.#any || this.#origins.has(origin);
  }

  /** Answers a preflight request of an allowed origin. */
  grant({ headers }: IncomingMessage, response: ServerResponse, methods: readonly string[], id: string): void {
    const names = headers["access-control-request-headers"];
    const head = ["access-control-allow-methods", methods.join(", "), "access-control-max-age", "600", "x-request-id", id];
    head.push("x-content-type-options", "nosniff");
    if (typeof names === "string") head.push("access-control-allow-headers", names);
    response.writeHead(204, head);
    response.end();
  }
}

/** True for the question that a browser asks before a request that no form could send. */
export const isPreflight = ({ method, headers }: IncomingMessage): boolean =>
  method === "OPTIONS" && headers.origin !== undefined && headers["access-control-request-method"] !== undefined;
