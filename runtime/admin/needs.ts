import type { Host } from "../process/host.ts";
import type { Config } from "../run/interface.ts";
import { Failure } from "../value/failure.ts";
import type { JsonObject } from "../value/json.ts";
import type { Watched } from "./watched.ts";

/** Lists the names that the configurations read from outside, and whether they are set. Values are never shown. */
export async function listNeeds({ host, configs, unmet }: Watched): Promise<JsonObject[]> {
  const silent = await unmet();
  return configs.flatMap((config) => {
    const { needs, databases = [], secrets = [], variables = {} } = config;
    const need = (kind: string, name: string, isMet: boolean): JsonObject => ({ config: config.name, kind, name, met: isMet });
    // A secret that the configuration describes is fetched at its first use.
    return [
      ...needs.env.map((name) => need("env", name, !!host.env(name) && host.readable(name))),
      ...needs.vars.map((name) => need("variable", name, isSet(host, name) || Object.hasOwn(variables, name))),
      ...needs.secrets.map((name) => need("secret", name, secrets.includes(name) || isSet(host, name))),
      ...databases.map(({ name }) => need("database", name, !silent.includes(databaseName(config, name)))),
    ];
  });
}

/** The name under which `/readyz` lists a database. */
const databaseName = (config: Config, name: string): string => `database ${name} of ${config.name}`;

function isSet(host: Host, variable: string): boolean {
  try {
    return host.variable(variable) !== undefined;
  } catch (error) {
    // The value is sealed, and this process cannot open it.
    if (error instanceof Failure) return false;
    throw error;
  }
}
