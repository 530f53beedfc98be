import fastify, { type FastifyInstance, type FastifyServerOptions } from "fastify";
import { type PipewrightOptions, pipewright, serverOptions } from "#runtime/fastify/index.ts";
import type { Interface } from "#runtime/run/interface.ts";
import { configOf } from "../../harness/sockets.ts";

/** An application that listens, and what it has logged as `level message`. */
export interface Application {
  readonly app: FastifyInstance;
  readonly url: string;
  readonly logged: string[];
}

export interface ApplicationOptions extends Partial<PipewrightOptions> {
  readonly interfaces?: readonly Interface[];
  readonly server?: FastifyServerOptions;
  /** The steps of the application before it registers the plugin. */
  readonly before?: (app: FastifyInstance) => void;
}

/** An application that mounts the interfaces. The test that asks for it closes it. */
export async function application({ interfaces = [], server = {}, before, ...options }: ApplicationOptions): Promise<Application> {
  const made = await unstarted(server);
  before?.(made.app);
  await made.app.register(pipewright, { configs: [configOf(...interfaces)], env: {}, ...options });
  return { ...made, url: await made.app.listen({ host: "127.0.0.1", port: 0 }) };
}

/** An application before anything is registered. */
export async function unstarted(server: FastifyServerOptions = {}): Promise<Omit<Application, "url">> {
  const logged: string[] = [];
  const stream = { write: (line: string) => void logged.push(said(line)) };
  const app = fastify({ ...serverOptions, logger: { stream, level: "info" }, ...server });
  return { app, logged };
}

const words: Readonly<Record<number, string>> = { 10: "trace", 20: "debug", 30: "info", 40: "warn", 50: "error", 60: "fatal" };

function said(line: string): string {
  const { level, msg }: { level: number; msg: string } = JSON.parse(line);
  return `${words[level]} ${msg}`;
}
