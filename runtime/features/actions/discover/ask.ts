import { type IncomingMessage, request as plain, type RequestOptions } from "node:http";
import { request as secure } from "node:https";
import { Gathered } from "../../../formats/gathered.ts";
import { parseJson } from "../../../formats/json-text.ts";
import { Failure } from "../../../value/failure.ts";
import type { Json } from "../../../value/json.ts";
import { codeOf } from "../../../value/thrown.ts";

/** choice: bytes of a list of members. */
const longest = 16_777_216;

/** The request for a list of members. */
export interface Question extends Pick<RequestOptions, "socketPath" | "headers" | "signal" | "lookup"> {
  readonly url: URL;
  /** Certificates that are trusted, and no others. */
  readonly ca?: string;
  /** The meaning of each status that is not 200. */
  readonly refusals?: Readonly<Record<number, string>>;
  /** The service that is asked, for error texts. */
  readonly whom: string;
  /** The address of the service where users can set it, for the error that it cannot be reached. */
  readonly where?: string;
  /** Takes the place of the network. */
  readonly standIn?: StandIn | undefined;
}

/** Answers in the place of a service. */
export type StandIn = (url: URL) => Promise<{ readonly status: number; readonly text: string }>;

/** The JSON that a service gives. It is not an action of its own: no redirects, no proxy, one answer of 200. */
export async function ask({ url, whom, where, refusals = {}, standIn, ...options }: Question): Promise<Json> {
  const { status, text } = await (standIn?.(url) ?? answer(url, options)).catch((error: unknown) => {
    if (error instanceof Failure) throw error;
    const code = String(codeOf(error) ?? error);
    const at = where === undefined ? "" : ` at ${where}`;
    throw new Failure("transport", `discover: ${whom} cannot be reached${at} (${code})`, { upstream: 502, cause: error });
  });
  if (status !== 200) throw new Failure("transport", `discover: ${refusals[status] ?? `${whom} answered ${status}`}`, { upstream: 502 });
  const value = parseJson(text);
  if (value === undefined) throw new Failure("transport", `discover: the answer of ${whom} is no JSON`, { upstream: 502 });
  return value;
}

function answer(url: URL, options: RequestOptions & { readonly ca?: string }): Promise<{ readonly status: number; readonly text: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ readonly status: number; readonly text: string }>();
  const read = (message: IncomingMessage): void => {
    const body = new Gathered();
    let size = 0;
    message.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= longest) body.add(chunk);
      else message.destroy(new Failure("transport", `discover: the answer is longer than ${longest} bytes`, { upstream: 502 }));
    });
    message.on("end", () => resolve({ status: message.statusCode ?? 0, text: Buffer.concat(body.pieces).toString() }));
    message.on("error", reject);
  };
  const ask = url.protocol === "https:" ? secure : plain;
  ask(url, { ...options, agent: false }, read)
    .on("error", reject)
    .end();
  return promise;
}
