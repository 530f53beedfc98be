import { type Words, wordsFor } from "./words.ts";

/** Words for keys of a configuration, and of its databases and secrets. */
export const configurationKeys: Readonly<Record<string, Words>> = {
  Config: wordsFor({
    "write it in 'accepts' or 'produces' of an interface": "schemas types models",
    "write it in an action": "retry",
    "write 'timeout' in 'global.http', or in an action": "timeout",
    "the level is an option of the command: --log-level": "logging log_level",
    "no version or kind of the format is written; a note is a key with x- before it": "api_version kind schema_version metadata spec",
    "parts that configurations share are files below modules/: a|module::NAME|": "imports import include includes extends",
    "write it in an interface, below 'interfaces'": "actions steps base_path prefix auth security middlewares middleware rate_limit",
    "each is an interface below 'interfaces'": "workflows flows pipelines functions triggers",
    "each route is an interface below 'interfaces'": "routes",
    "each endpoint is an interface below 'interfaces'": "endpoints",
    "each service is an interface below 'interfaces'": "services",
    "values that the actions share stand in 'global.variables'": "variables vars",
    "databases stand in 'global.databases'": "databases connections datasources",
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
  HttpDefaults: wordsFor({
    "write the whole address in 'url' of an action, as a|env::API|/path": "base_url url",
    "write 'retry: { attempts: … }' in an action": "retries retry",
  }),
  Secret: wordsFor({
    "an environment variable needs no entry: a|env::…|": "env",
    "a value is kept by `pipewright vars set`, and needs no entry": "value",
  }),
  Database: wordsFor({
    "write 'max_open_conns'": "pool pool_size max_connections",
    "write 'conn_string'": "url dsn file path connection_string connection uri",
    "write 'driver'": "type dialect",
    "write 'pass'": "password",
    "write 'user'": "username",
    "write 'dbname'": "database",
  }),
};
