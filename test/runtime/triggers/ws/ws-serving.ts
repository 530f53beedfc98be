import { createHmac } from "node:crypto";
import { afterEach } from "vitest";
import { type ClientOptions, WebSocket } from "ws";
import { defaultLimits, type HostOptions } from "#runtime/process/host.ts";
import type { Served, ServeOptions } from "#runtime/process/server.ts";
import type { Config } from "#runtime/run/interface.ts";
import type { JsonObject } from "#runtime/value/json.ts";
import { load } from "../../../../compiler/7-link/load.ts";
import { planTexts, printAll } from "../../../../compiler/pipeline.ts";
import { alarm } from "../../../harness/until.ts";
import { tokenPart } from "../../keys/token-text.ts";

/** The API key of these tests. */
export const key = "key-of-the-organisation";

/** The secret that signs their tokens. */
export const secret = "a-secret-that-tokens-are-signed-with";

/** A token of an end user; `seconds` from now it ends. */
export function tokenOf(claims: object = {}, seconds = 60, by = secret): string {
  const text = `${tokenPart({ alg: "HS256" })}.${tokenPart({ ...claims, exp: Math.floor(Date.now() / 1_000) + seconds })}`;
  return `${text}.${createHmac("sha256", by).update(text).digest("base64url")}`;
}

export interface Serving {
  readonly url: string;
  readonly served: Served;
  readonly log: JsonObject[];
  readonly configs: readonly Config[];
}

const running: Served[] = [];
const clients: Client[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) client.socket.terminate();
  await Promise.all(running.splice(0).map((each) => each.close()));
});

export interface Options extends Omit<ServeOptions, "env" | "limits"> {
  readonly env?: Readonly<Record<string, string>>;
  readonly limits?: Partial<NonNullable<HostOptions["limits"]>>;
  /** Runs it by the interpreter. */
  readonly interpret?: boolean;
  /** The change of the configs before they are served. */
  readonly change?: (config: Config) => Config;
}

type Loaded = Awaited<ReturnType<typeof load>>;

/** Configurations that have been compiled, by their text. */
const compiled = new Map<string, Promise<Loaded>>();

function compile(text: string, interpret: boolean): Promise<Loaded> {
  const key = `${interpret} ${text}`;
  const known = compiled.get(key) ?? printAll(planTexts([{ file: "ws.yaml", text }]), { interpret }).then((modules) => load(modules));
  compiled.set(key, known);
  return known;
}

/** Serves a configuration; it is stopped when the test ends. */
export async function serving(
  text: string,
  { env = {}, limits = {}, change = (config) => config, interpret = false, ...options }: Options = {},
): Promise<Serving> {
  const log: JsonObject[] = [];
  const loaded = await compile(text, interpret);
  const configs = loaded.configs.map(change);
  const served = await loaded.serve(configs, {
    ...{ address: "127.0.0.1", port: 0, noticeMs: 0, organisation: "acme", environment: "staging", env },
    limits: { ...defaultLimits, ...limits },
    admin: { bind: undefined, keys: [key], adminKeys: [], queryKeys: true, hosts: [] },
    variables: { SECRET: secret },
    log: (level, msg, fields = {}) => void log.push({ level, msg, ...fields }),
    ...options,
  });
  running.push(served);
  return { url: served.url, served, log, configs };
}

/** A client that remembers what it is sent. */
export class Client {
  readonly socket: WebSocket;
  readonly frames: JsonObject[] = [];
  readonly closed: Promise<number>;
  #wake: (() => void) | undefined;

  constructor(socket: WebSocket) {
    this.socket = socket;
    this.closed = new Promise((resolve) => socket.on("close", (code) => resolve(code)));
    socket.on("error", () => undefined);
    socket.on("message", (data) => {
      this.frames.push(JSON.parse(String(data)));
      this.#wake?.();
    });
    clients.push(this);
  }

  send(...frames: readonly unknown[]): void {
    for (const frame of frames) this.socket.send(typeof frame === "string" ? frame : JSON.stringify(frame));
  }

  /** The next frames. */
  async next(count: number): Promise<readonly JsonObject[]> {
    while (this.frames.length < count)
      await new Promise<void>((resolve, reject) => {
        const timer = setTimeout(
          () => reject(new Error(`${count} frames were expected, and there are ${JSON.stringify(this.frames)}`)),
          alarm,
        );
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    return this.frames.splice(0, count);
  }

  async one(): Promise<JsonObject> {
    const [frame = {}] = await this.next(1);
    return frame;
  }

  /** Sends one frame and gives its answer. */
  async ask(frame: unknown): Promise<JsonObject> {
    this.send(frame);
    return this.one();
  }

  /** The messages that have come by the time that a ping is answered. */
  async rest(): Promise<readonly JsonObject[]> {
    this.send({ ap_ping: "rest" });
    while (!this.frames.some(({ ap_pong }) => ap_pong === "rest")) await new Promise((resolve) => setImmediate(resolve));
    return this.frames.splice(0).filter(({ ap_pong }) => ap_pong !== "rest");
  }
}

/** Connects to an interface; throws the status when the server refuses. */
export const connect = ({ url }: Pick<Serving, "url">, path: string, options: ClientOptions = {}): Promise<Client> =>
  connectTo(url, `/ws/acme/staging/${path}`, options);

export function connectTo(url: string, path: string, options: ClientOptions = {}): Promise<Client> {
  const socket = new WebSocket(`${url.replace("http", "ws")}${path}`, options);
  const client = new Client(socket);
  return new Promise((resolve, reject) => {
    socket.on("open", () => resolve(client));
    socket.on("unexpected-response", (_, response) => reject(new Error(`status ${response.statusCode}`)));
    socket.on("error", reject);
  });
}

/** The status by which a connection is refused; 101 when it is not. */
export const statusOf = (serving: Pick<Serving, "url">, path: string, options?: ClientOptions): Promise<number> =>
  connect(serving, path, options).then(
    () => 101,
    (error: Error) => Number(error.message.replace("status ", "")),
  );

export const withKey: ClientOptions = { headers: { "x-api-key": key } };
