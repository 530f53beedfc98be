import { createServer, type IncomingHttpHeaders, type IncomingMessage, type RequestOptions, request, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { createHost, type Host, type HostOptions } from "#runtime/process/host.ts";
import type { Config, Interface } from "#runtime/run/interface.ts";
import { LiveRun } from "#runtime/run/live-run.ts";
import type { Request } from "#runtime/run/received.ts";
import type { Act, Run } from "#runtime/run/run.ts";
import type { Json } from "#runtime/value/json.ts";

export interface Got {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface Sent extends Pick<RequestOptions, "method" | "headers" | "agent" | "signal"> {
  readonly body?: string | Buffer;
}

/** One request over a real socket; the path goes out as it is written. */
export function send(url: string, path: string, { body, ...options }: Sent = {}): Promise<Got> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname: hostname.replace(/^\[|\]$/g, ""), port, path, ...options }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text: Buffer.concat(chunks).toString() }),
      );
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/** Writes bytes to a socket and returns all bytes that arrive until the server closes it. */
export function sendRaw(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes, "latin1"));
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(text));
  });
}

export interface Stub {
  readonly url: string;
  readonly seen: { readonly method: string; readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: string }[];
  readonly close: () => Promise<void>;
}

/** An upstream that records its requests. */
export async function stub(answer: (response: ServerResponse, message: IncomingMessage, body: string) => void): Promise<Stub> {
  const seen: Stub["seen"] = [];
  const server = createServer((message, response) => {
    const chunks: Buffer[] = [];
    message.on("data", (chunk: Buffer) => chunks.push(chunk));
    message.on("end", () => {
      const body = Buffer.concat(chunks).toString();
      seen.push({ method: message.method ?? "", path: message.url ?? "", headers: message.headers, body });
      answer(response, message, body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${port}`, seen, close };
}

export const configOf = (...interfaces: Interface[]): Config => ({ name: "t", interfaces, needs: { env: [], vars: [], secrets: [] } });

/** An interface with one action, whose data are the response. */
export const served = (method: string, route: string, attempt: (cx: Run, act: Act) => Json | Promise<Json>): Interface => ({
  name: route.slice(1),
  output: "http",
  http: { method, route },
  run: (cx) => {
    cx.act("A", {}, (act) => attempt(cx, act));
  },
});

const nothing: Request = {
  id: "00000000-0000-4000-8000-000000000000",
  trigger: "cli",
  method: null,
  path: null,
  body: null,
  raw_body: null,
  params: {},
  headers: {},
  ip: {},
};

/** Runs one action alone and returns its outcome. */
export async function act(
  attempt: (act: Act) => Json | Promise<Json>,
  options: HostOptions = {},
  watch: (run: Run) => void = () => undefined,
): Promise<Act> {
  const host = createHost({ env: {}, ...options });
  const made = await actOn(host, attempt, watch);
  await host.close();
  return made;
}

/** Runs an action on a host that further actions share. */
export async function actOn(
  host: Host,
  attempt: (act: Act) => Json | Promise<Json>,
  watch: (run: Run) => void = () => undefined,
): Promise<Act> {
  const target: Interface = { name: "t", output: "none", run: () => undefined };
  const run = new LiveRun(host, configOf(target), target, nothing);
  const made = run.act("A", {}, attempt);
  watch(run);
  await run.finish();
  return made;
}

/** The text of a frame as a server of WebSocket sends it (RFC 6455, 5.2). */
export function textIn(frame: Buffer): string {
  const length = frame[1] ?? 0;
  return frame.toString("utf8", length < 126 ? 2 : length === 126 ? 4 : 10);
}
