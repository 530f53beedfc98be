import type { Run } from "../../../run/run.ts";
import { Failure } from "../../../value/failure.ts";
import { exchange } from "../http/exchange.ts";

/** A request for credentials. */
export interface CredentialRequest {
  readonly method: "GET" | "PUT";
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds. */
  readonly timeout: number;
}

/** The most bytes of an answer that holds credentials. */
const mostBytes = 65_536;

/** The text of an answer with status 200; undefined without such an answer. A host that a manifest does not list still fails. */
export async function ask(run: Run, { method, url, headers, timeout }: CredentialRequest): Promise<string | undefined> {
  const call = {
    ...{ method, url, query: url.search, headers: new Map(Object.entries(headers)), body: null },
    ...{ timeout, connectTimeout: timeout, idleTimeout: null, streams: false, transport: undefined, limit: mostBytes },
    confidential: true as const,
  };
  try {
    const { status, bytes } = await exchange(run.aside("aws"), call, run.host.monotonic() + timeout);
    return status === 200 ? bytes.toString("utf8") : undefined;
  } catch (error) {
    if (error instanceof Failure && error.kind !== "manifest") return undefined;
    throw error;
  }
}
