import { createHost, defaultLimits, type Host, type HostOptions } from "#runtime/process/host.ts";
import { HttpServer } from "#runtime/triggers/http-server.ts";
import { planned, printOne } from "../harness/compile.ts";
import { evaluate } from "../harness/evaluate.ts";
import { type Got, type Sent, send } from "../harness/sockets.ts";

/** A configuration that is served on a free port of this machine. */
export interface Service {
  readonly url: string;
  readonly host: Host;
  readonly log: readonly string[];
  /** A request; a body that is no text is sent as JSON. */
  readonly ask: (path: string, body?: unknown, sent?: Sent) => Promise<Got>;
  /** Ends when every run has. */
  readonly close: () => Promise<void>;
}

export interface ServiceOptions extends HostOptions {
  readonly interpret: boolean;
}

/** The two ways to run a plan. */
export const ways = [
  ["printed", { interpret: false }],
  ["walked", { interpret: true }],
] as const;

export async function serviceOf(text: string, { interpret, ...options }: ServiceOptions): Promise<Service> {
  const { code } = await printOne(planned(text), { interpret });
  const log: string[] = [];
  const host = createHost({
    env: {},
    limits: defaultLimits,
    log: (level, msg) => void log.push(`${level} ${msg}`),
    ...options,
  });
  const trigger = new HttpServer({ host, configs: [await evaluate(code)], unmet: async () => [] });
  const url = await trigger.listen("127.0.0.1", 0);
  return {
    url,
    host,
    log,
    ask: (path, body, sent = {}) => send(url, path, body === undefined ? sent : { method: "POST", body: JSON.stringify(body), ...sent }),
    close: async () => {
      await trigger.drain(0, 20_000);
      await host.close();
    },
  };
}
