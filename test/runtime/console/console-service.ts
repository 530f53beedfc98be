import type { Served } from "#runtime/process/server.ts";
import { readSettings } from "#runtime/process/settings/options.ts";
import type { JsonObject } from "#runtime/value/json.ts";
import { load } from "../../../compiler/7-link/load.ts";
import { consoleFacts } from "../../../compiler/console/facts.ts";
import { consoleParts } from "../../../compiler/console/page.ts";
import { planTexts, printAll } from "../../../compiler/pipeline.ts";
import { type Got, type Sent, send } from "../../harness/sockets.ts";

/** The key that requests have. */
export const key = "an-api-key-of-some-length";

/** Names and data that would be structure, if anything took them for it. */
export const hostile = {
  name: "\"'><img src=x onerror=alert(1)>",
  text: "</script><script>document.title='broken'</script>\u202egnp.exe\u2066 & <b>bold</b>",
};

export const config = `
name: Shop
network: { ip: { deny: [203.0.113.0/24] } }
global:
  databases:
    main: { driver: sqlite, conn_string: "sqlite::memory:" }
interfaces:
  order:
    summary: Takes an order.
    method: POST
    route: /orders/:shop
    capture: all
    accepts: { schema: { type: object, properties: { n: { type: integer } } }, example: { n: 2 } }
    actions:
      - { name: Order, input: a|body|, assert: { http_code_on_error: 422, tests: [{ value: n, is_greater_than: 0 }] } }
      - { name: Stock, run_when_succeeded: [Order], json_output: { left: 12 } }
      - { name: Price, run_when_succeeded: [Order], json_output: ["a|env::CURRENCY|", "a|secret::TOKEN|"] }
      - { name: Row, run_when_succeeded: [Stock, Price], database: main, query: SELECT 1 AS one }
      - { name: Alarm, run_when_failed: [Row], json_output: late }
  each:
    method: GET
    network: { inherit: false }
    actions:
      - { name: All, json_output: [1, 2] }
      - { name: Loop, run_when_succeeded: [All], lookup: a|All|, actions: [{ name: One, json_output: a|body| }] }
  nightly:
    output: none
    schedule: { cron: "0 3 * * *", timezone: Europe/Berlin, enabled: true }
    actions: [{ name: Rows, database: main, query: SELECT 1 }]
`;

/** An interface whose runs wait for a person. */
export const waits = `
name: Waits
interfaces:
  approve:
    method: POST
    route: /approve
    actions: [{ name: Approval, wait_for_callback: { token: a|body::token|, timeout: 2d } }]
`;

/** A process with a console, and how a test asks it. */
export interface ConsoleService {
  readonly url: string;
  readonly admin: string;
  readonly served: Served;
  readonly ask: (path: string, sent?: Sent) => Promise<Got>;
  readonly told: (path: string) => Promise<JsonObject>;
  readonly order: (n: unknown) => Promise<Got>;
}

/** Serves configurations with a console on the address of the admin API. */
export async function consoleService(env: Readonly<Record<string, string>>, ...texts: readonly string[]): Promise<ConsoleService> {
  const all = texts.length === 0 ? [config] : texts;
  const planned = planTexts(all.map((text, i) => ({ file: i === 0 ? "shop.yaml" : `shop-${i}.yaml`, text })));
  if (planned.failed) throw new Error(planned.diagnostics.map(({ message }) => message).join("\n"));
  const modules = await printAll(planned);
  const shown = { parts: await consoleParts(), facts: consoleFacts({ ...planned, modules }) };
  const { configs, shown: linked, serve } = await load(modules, { shown });
  const settings = await readSettings(
    { port: "0", address: "127.0.0.1" },
    { PIPEWRIGHT_API_KEYS: key, PIPEWRIGHT_ADMIN_BIND: "127.0.0.1:0", CURRENCY: "EUR", ...env },
  );
  let admin = "";
  const log = (_level: string, msg: string, fields: Readonly<Record<string, unknown>> = {}): void => {
    if (msg === "admin") admin = String(fields.url);
  };
  const served = await serve(configs, { ...settings, variables: { TOKEN: "canary-secret" }, shown: linked, noticeMs: 0, log });
  const ask: ConsoleService["ask"] = (path, sent = {}) => send(admin, path, { headers: { authorization: `Bearer ${key}` }, ...sent });
  return {
    url: served.url,
    admin,
    served,
    ask,
    told: async (path) => JSON.parse((await ask(path)).text),
    order: (n) =>
      send(served.url, "/orders/berlin", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ n }) }),
  };
}
