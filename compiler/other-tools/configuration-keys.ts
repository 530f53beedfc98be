import { type Words, wordsFor } from "./words.ts";

/** Words for keys of a configuration, and of its databases and secrets. */
export const configurationKeys: Readonly<Record<string, Words>> = {
  Config: wordsFor({
    "each route is an interface below 'interfaces'": "routes",
    "each endpoint is an interface below 'interfaces'": "endpoints",
    "each service is an interface below 'interfaces'": "services",
    "values that the actions share stand in 'global.variables'": "variables vars",
    "databases stand in 'global.databases'": "databases",
    "secrets stand in 'global.secrets'": "secrets",
    "templates stand in 'global.templates' or in an interface": "templates",
    "write 'expose_metrics: true'": "metrics",
    "origins are a setting of the process: PIPEWRIGHT_CORS_ORIGINS": "cors",
    "the port is an option of the command: --port": "port server",
    "the address is an option of the command: --address": "host",
    "a variable of the environment needs no entry: a|env::NAME|": "env",
    "each job is an interface below 'interfaces'": "jobs",
    "each interface has its own 'route', 'schedule', 'ws', 'mqtt' or 'mcp'": "on",
  }),
  Global: wordsFor({
    "write 'variables'": "vars",
    "a variable of the environment needs no entry: a|env::NAME|": "env",
  }),
  Secret: wordsFor({
    "an environment variable needs no entry: a|env::…|": "env",
    "a value is kept by `pipewright vars set`, and needs no entry": "value",
  }),
  Database: wordsFor({
    "write 'conn_string'": "url dsn file path",
    "write 'driver'": "type dialect",
    "write 'pass'": "password",
    "write 'user'": "username",
    "write 'dbname'": "database",
  }),
};
