import { type Served, type ServeOptions, serve } from "#runtime/process/server.ts";
import type { Config } from "#runtime/run/interface.ts";

/** Options of a process that only this machine reaches. */
export const local = { address: "127.0.0.1", port: 0, noticeMs: 0, env: {}, log: () => undefined } as const satisfies ServeOptions;

/** Processes that end with the test. */
export const running: Served[] = [];

/** Serves these configurations. */
export async function start(configs: readonly Config[], options: ServeOptions = {}): Promise<Served> {
  const made = await serve(configs, { ...local, ...options });
  running.push(made);
  return made;
}
