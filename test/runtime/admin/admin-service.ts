import type { Served } from "#runtime/process/server.ts";
import { readSettings } from "#runtime/process/settings/options.ts";
import type { JsonObject } from "#runtime/value/json.ts";
import { load } from "../../../compiler/7-link/load.ts";
import { planTexts, printAll } from "../../../compiler/pipeline.ts";
import { ownFolder } from "../../harness/captured.ts";
import { type Got, type Sent, send } from "../../harness/sockets.ts";

/** The key that requests have. */
export const key = "an-api-key-of-some-length";

/** A second key, which is as right. */
export const other = "another-key-for-rotation";

const config = `
name: shop
global:
  databases:
    main: { driver: sqlite, conn_string: "sqlite::memory:" }
    gone: { driver: postgres, conn_string: "postgres://svc:canary-pass@127.0.0.1:1/db" }
interfaces:
  order:
    method: POST
    route: /orders/:id
    capture: { mode: all, for_runs: 50 }
    actions:
      - { name: Body, input: a|body|, assert: { tests: [{ value: n, is_not_null: true, http_code_on_error: 422 }] } }
      - { name: Rows, database: main, query: SELECT 1 AS one, run_when_succeeded: [Body] }
      - { name: Env, run_when_succeeded: [Body], json_output: ["a|env::SET|", "a|env::UNSET|", "a|var::WORD|", "a|var::NOBODY|"] }
  nightly:
    output: none
    schedule: { cron: "0 3 * * *", enabled: true }
    actions: [{ name: Rows, database: gone, query: SELECT 1 }]
  plain:
    method: GET
    respond: early
    network: { ip: { allow: [127.0.0.1] } }
    actions: []
`;

/** The folder of the running test. */
export let folder: ReturnType<typeof ownFolder>;

/** Processes that end with the test. */
export const running: Served[] = [];

/** Makes the folder of a test. */
export function newFolder(): void {
  folder = ownFolder();
}

/** Ends what a test has started. */
export async function closeAll(): Promise<void> {
  await Promise.all(running.splice(0).map((each) => each.close()));
  folder.remove();
}

/** A process, and how a test asks its admin API. */
export interface Service {
  readonly url: string;
  readonly admin: string;
  readonly log: readonly JsonObject[];
  readonly ask: (path: string, headers?: Sent["headers"], method?: string) => Promise<Got>;
  readonly told: (path: string) => Promise<JsonObject>;
}

/** Links by their text: a link takes half a second, and most tests are about the same configuration. */
const links = new Map<string, ReturnType<typeof load>>();

function linked(text: string): ReturnType<typeof load> {
  const link = links.get(text) ?? printAll(planTexts([{ file: "shop.yaml", text }])).then((modules) => load(modules));
  links.set(text, link);
  return link;
}

/** Serves a configuration. */
export async function service(env: Readonly<Record<string, string>> = {}, text = config): Promise<Service> {
  const log: JsonObject[] = [];
  const { configs, serve } = await linked(text);
  const all = { ...folder.env, PIPEWRIGHT_API_KEYS: `${key}, ${other}`, PIPEWRIGHT_ADMIN_BIND: "127.0.0.1:0", SET: "1", ...env };
  const settings = await readSettings({ port: "0", address: "127.0.0.1" }, all);
  const served = await serve(configs, {
    ...settings,
    variables: { WORD: "x" },
    noticeMs: 0,
    log: (level, msg, fields = {}) => void log.push({ level, msg, ...fields }),
  });
  running.push(served);
  const admin = String(log.find(({ msg }) => msg === "admin")?.url ?? "");
  const ask: Service["ask"] = (path, headers = { authorization: `Bearer ${key}` }, method = "GET") =>
    send(admin, path, { headers: headers as NonNullable<Sent["headers"]>, method });
  const told = async (path: string): Promise<JsonObject> => JSON.parse((await ask(path)).text);
  return { url: served.url, admin, log, ask, told };
}

/** Asks for an order. */
export const order = (one: Service, body: unknown): Promise<Got> =>
  send(one.url, "/orders/7?token=t", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
