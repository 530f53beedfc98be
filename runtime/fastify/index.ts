import type { FastifyInstance, FastifyPluginAsync } from "fastify";
import { serveAdmin } from "../admin/start.ts";
import type { Limits } from "../process/host.ts";
import { serveMetrics } from "../process/metrics.ts";
import { greet, hostOf } from "../process/service.ts";
import type { Environment } from "../process/settings/environment.ts";
import { readSettings } from "../process/settings/options.ts";
import { Unmet } from "../process/unmet.ts";
import { Version } from "../process/version.ts";
import type { Config } from "../run/interface.ts";
import { startConfigs } from "../start/fields.ts";
import { levelOf, logTo } from "./log.ts";
import { Mount } from "./mount.ts";
import { unheard, unmountable } from "./unmountable.ts";

export type { Config } from "../run/interface.ts";
export { serverOptions } from "./server-options.ts";

/** Options of the plugin; `prefix` is Fastify's own. */
export interface PipewrightOptions {
  /** The constants that the modules of `pipewright generate` export as `config`. */
  readonly configs: readonly Config[];
  /** The path below which the interfaces answer, as for every plugin; by default the root of the application. */
  readonly prefix?: string;
  /** The name of the environment, which is part of topics, paths and sealed variables; by default `PIPEWRIGHT_ENV`, else `production`. */
  readonly environment?: string;
  /** Environment variables; by default those of the process. `PIPEWRIGHT_*` variables among them are settings. */
  readonly env?: Environment;
  /** Files of managed variables; a later one wins. */
  readonly vars?: readonly string[];
  /** The file with the key that opens sealed variables; by default `PIPEWRIGHT_MASTER_KEY` holds the key. */
  readonly masterKeyFile?: string;
  /** Limits of bodies, runs and memory, in place of those of the environment. */
  readonly limits?: Partial<Limits>;
  /** False when this process runs no schedules. */
  readonly schedules?: boolean;
}

const register: FastifyPluginAsync<PipewrightOptions> = async (app, options) => {
  const { configs: modules, environment, env = process.env, vars = [], masterKeyFile, schedules = true } = options;
  refuse([...unfit(app), ...unmountable(modules)]);
  const flags = {
    vars,
    ...(environment === undefined ? {} : { env: environment }),
    ...(masterKeyFile === undefined ? {} : { masterKeyFile }),
  };
  const settings = await readSettings(flags, env);
  const logLevel = levelOf(app.log);
  const limits = { ...settings.limits, ...options.limits };
  const host = await hostOf({ ...settings, limits, log: logTo(app.log), ...(logLevel === undefined ? {} : { logLevel }) });
  const { configs, problems } = startConfigs(host, modules);
  const version = new Version(host, configs);
  const { keys, queryKeys } = settings.admin;
  const mount = new Mount(app, { host, configs, unmet: () => version.unmet(), keys, queryKeys });
  app.addHook("onReady", async () => {
    const unmet = [...settings.unmet, ...problems, ...(await version.missing())];
    if (unmet.length === 0) unmet.push(...(await serveMetrics(host, configs, settings)));
    if (unmet.length === 0) unmet.push(...(await serveAdmin({ host, configs, unmet: () => version.unmet() }, settings.admin)));
    refuse(unmet);
    greet(host, version, { warnings: [...settings.warnings, ...unheard(configs)] });
    if (schedules) version.start();
  });
  app.addHook("preClose", async () => {
    version.stop();
    mount.drain();
  });
  app.addHook("onClose", async () => {
    await mount.end();
    await host.close();
  });
};

function refuse(unmet: readonly string[]): void {
  if (unmet.length > 0) throw new Unmet(unmet);
}

/** Lists the settings of an application with which the plugin cannot answer as a service does. */
function unfit({ initialConfig, prefix }: FastifyInstance): readonly string[] {
  const isPlain = prefix.split("/").every((segment) => /^(?::\w+|[^:*(]*)$/.test(segment));
  return [
    ...(initialConfig.http2 === true ? ["the application speaks HTTP/2: interfaces are answered over HTTP/1.1"] : []),
    ...(isPlain ? [] : [`prefix ${prefix}: a segment is either a text or one parameter, such as /shops/:shop`]),
  ];
}

/**
 * Answers requests of an application with the interfaces of configurations: `await app.register(pipewright, { configs: [orders], prefix:
 * "/api" })`.
 */
export const pipewright: FastifyPluginAsync<PipewrightOptions> = Object.assign(register, {
  [Symbol.for("fastify.display-name")]: "pipewright",
  [Symbol.for("plugin-meta")]: { name: "pipewright", fastify: "5.x" },
});
