import type { Host } from "#runtime/process/host.ts";
import type { Interface } from "#runtime/run/interface.ts";
import type { Request } from "#runtime/run/received.ts";
import type { Json, JsonObject } from "#runtime/value/json.ts";
import { type Loaded, load } from "../../compiler/7-link/load.ts";
import { planTexts, printAll } from "../../compiler/pipeline.ts";
import { verdict } from "./goals.ts";
import { nanosecondsOf } from "./micro.ts";
import { median, ratios } from "./statistics.ts";
import { figure, table } from "./table.ts";

/** The five of a chain. */
const transforms = `
          - rename_keys: { first: given, last: family }
          - remove_keys: [note]
          - add_attribute: { source: crm, version: 2 }
          - rename_attributes: { mail: email }`;

const query = `database: main
        query: |
          SELECT id, first, last, mail, phone, note FROM (
            WITH RECURSIVE numbers(id) AS (SELECT 0 UNION ALL SELECT id + 1 FROM numbers WHERE id < 99)
            SELECT id, 'F' || id AS first, 'L' || id AS last, id || '@x.org' AS mail, '0' || id AS phone, 'n' AS note FROM numbers
          )`;

const config = `name: chain
global:
  databases:
    main: { driver: sqlite, conn_string: "sqlite::memory:" }
interfaces:
  queried:
    actions:
      - name: Rows
        ${query}
  columns:
    actions:
      - name: Rows
        ${query}
        post_transforms:${transforms}
          - keep_attributes: [id, given, family, email, source, version]
  none:
    actions:
      - { name: Rows, input: a|body| }
  kept:
    actions:
      - name: Rows
        input: a|body|
        post_transforms:${transforms}
          - keep_attributes: [id, given, family, email, source, version]
  others:
    actions:
      - name: Rows
        input: a|body|
        post_transforms:${transforms}
          - remove_attributes: [phone]
`;

const rows = Array.from({ length: 100 }, (_, id) => ({
  id,
  first: `F${id}`,
  last: `L${id}`,
  mail: `${id}@x.org`,
  phone: `0${id}`,
  note: "n",
}));
const objects: readonly JsonObject[] = rows;

/** A chain beside the same by hand, and what the interface does without it. */
interface Chain {
  readonly name: string;
  readonly chain: string;
  readonly without: string;
  readonly goal?: number;
  readonly byHand: () => Json;
}

const chains: readonly Chain[] = [
  { name: "columns of a query", chain: "columns", without: "queried", goal: 1.2, byHand: () => objects.map(chosen) },
  { name: "others stay", chain: "others", without: "none", goal: 1.2, byHand: () => objects.map(copied) },
  { name: "names are kept, of any rows", chain: "kept", without: "none", byHand: () => objects.map(chosen) },
];

function chosen(row: JsonObject): JsonObject {
  const out: JsonObject = {};
  if (row.id !== undefined) out.id = row.id;
  if (row.first !== undefined) out.given = row.first;
  else if (row.given !== undefined) out.given = row.given;
  if (row.last !== undefined) out.family = row.last;
  else if (row.family !== undefined) out.family = row.family;
  if (row.mail !== undefined) out.email = row.mail;
  else if (row.email !== undefined) out.email = row.email;
  out.source = "crm";
  out.version = 2;
  return out;
}

function copied(row: JsonObject): JsonObject {
  const out: JsonObject = {};
  for (const key in row) {
    const value = row[key] ?? null;
    if (key === "first") out.given = value;
    else if (key === "last") out.family = value;
    else if (key === "mail") out.email = value;
    else if (key !== "note" && key !== "phone") out[key] = value;
  }
  out.source = "crm";
  out.version = 2;
  return out;
}

/** Nanoseconds for 100 rows, for each round. */
export interface ChainReport {
  readonly [chain: string]: { readonly printed: readonly number[]; readonly walked: readonly number[]; readonly byHand: readonly number[] };
}

/** Measures five transforms beside one loop by hand, without the cost of an action that has none. */
export async function benchChain(rounds: number): Promise<ChainReport> {
  const planned = planTexts([{ file: "chain.yaml", text: config }]);
  const loaded = { printed: await load(await printAll(planned)), walked: await load(await printAll(planned, { interpret: true })) };
  const report: Record<string, ChainReport[string]> = {};
  for (const { name, chain, without, byHand } of chains) {
    const none = { printed: await runner(loaded.printed, without), walked: await runner(loaded.walked, without), byHand: async () => null };
    const ways = { printed: await runner(loaded.printed, chain), walked: await runner(loaded.walked, chain), byHand: async () => byHand() };
    const expected = JSON.stringify(byHand());
    const times = { printed: [] as number[], walked: [] as number[], byHand: [] as number[] };
    // The first round warms up.
    for (let round = 0; round <= rounds; round++) {
      for (const way of ["printed", "walked", "byHand"] as const) {
        if (JSON.stringify(await ways[way]()) !== expected) throw new Error(`${name}, ${way}: gives something else`);
        const time = (await nanosecondsOf(ways[way])) - (await nanosecondsOf(none[way]));
        if (round > 0) times[way].push(time);
      }
    }
    report[name] = times;
  }
  return report;
}

/** One run of an interface: the data of its action. Rows of the query are fetched once: what is measured is what becomes of them. */
async function runner({ configs, createHost, LiveRun }: Loaded, name: string): Promise<() => Promise<Json>> {
  const service = configs[0];
  const find = (wanted: string): Interface | undefined => service?.interfaces.find((each): each is Interface => each.name === wanted);
  const [target, source] = [find(name), find("queried")];
  if (service === undefined || target === undefined || source === undefined) throw new Error(`no interface ${name}`);
  const once = async (host: Host, one: Interface): Promise<Json> => {
    const run = new LiveRun(host, service, one, request);
    one.run(run);
    await run.finish();
    return run.acts[0]?.data ?? null;
  };
  const database = createHost({ env: {} });
  const fetched = await once(database, source);
  await database.close();
  const host = createHost({ env: {} });
  host.resource("sqlite :memory: of chain", () => ({ query: async () => fetched, ping: async () => undefined, close: () => undefined }));
  return () => once(host, target);
}

const request: Request = {
  id: "1",
  trigger: "http",
  method: "POST",
  path: "/",
  body: rows,
  raw_body: "",
  params: {},
  headers: {},
  ip: {},
};

export function chainTable(report: ChainReport): string {
  const lines = chains.flatMap(({ name, goal }) => {
    const times = report[name];
    if (times === undefined) return [];
    const { printed, walked, byHand } = times;
    const ratio = `${figure(median(ratios(printed, byHand)))} ${goal === undefined ? "" : verdict(printed, byHand, goal)}`.trimEnd();
    return [[name, figure(median(byHand)), figure(median(printed)), figure(median(walked)), ratio]];
  });
  return table(["five transforms, 100 rows", "by hand ns", "printed ns", "walked ns", "printed to hand"], lines);
}
