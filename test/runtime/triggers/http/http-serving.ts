import { createHost, defaultLimits, type Limits } from "#runtime/process/host.ts";
import type { Config } from "#runtime/run/interface.ts";
import { type HttpOptions, HttpServer } from "#runtime/triggers/http-server.ts";
import type { Got } from "../../../harness/sockets.ts";

export interface Serving {
  readonly url: string;
  readonly trigger: HttpServer;
  readonly logged: string[];
}

/** A listening trigger of one config. The test that asks for it drains it. */
export async function serving(config: Config, limits: Partial<Limits> = {}, more: Partial<HttpOptions> = {}): Promise<Serving> {
  const logged: string[] = [];
  const log = (level: string, msg: string): void => {
    logged.push(`${level} ${msg}`);
  };
  const host = createHost({ organisation: "acme", environment: "staging", env: {}, limits: { ...defaultLimits, ...limits }, log });
  const trigger = new HttpServer({ host, configs: [config], unmet: async () => [], ...more });
  return { url: await trigger.listen("127.0.0.1", 0), trigger, logged };
}
/** Data of the action that every interface of these tests has. */
export const dataOf = ({ text }: Got) => JSON.parse(text).data.A.data;
