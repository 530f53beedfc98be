import type { Interface } from "#runtime/interface.ts";
import type { Json, JsonObject } from "#runtime/json.ts";
import type { Request } from "#runtime/run.ts";
import { type Loaded, load } from "../../compiler/6-link/load.ts";
import { planTexts, printAll } from "../../compiler/pipeline.ts";
import { verdict } from "./goals.ts";
import { nanoseconds } from "./micro.ts";
import { median, ratios } from "./statistics.ts";
import { figure, table } from "./table.ts";

const config = `name: chain
interfaces:
  none:
    method: POST
    actions:
      - { name: Rows, input: a|body| }
  known:
    method: POST
    actions:
      - name: Rows
        input: a|body|
        post_transforms:
          - rename_keys: { first: given, last: family }
          - remove_keys: [note]
          - add_attribute: { source: crm, version: 2 }
          - rename_attributes: { mail: email }
          - keep_attributes: [id, given, family, email, source, version]
  unknown:
    method: POST
    actions:
      - name: Rows
        input: a|body|
        post_transforms:
          - rename_keys: { first: given, last: family }
          - remove_keys: [note]
          - add_attribute: { source: crm, version: 2 }
          - rename_attributes: { mail: email }
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

/** The same by hand: with what the interface does for any rows, and where somebody trusts every row to have every member. */
const byHand: readonly { readonly name: string; readonly chain: string; readonly goal?: number; readonly run: () => Json }[] = [
  { name: "names are known", chain: "known", goal: 1.2, run: () => objects.map(chosen) },
  { name: "others stay", chain: "unknown", goal: 1.2, run: () => objects.map(copied) },
  {
    name: "rows are trusted",
    chain: "known",
    run: () => rows.map(({ id, first, last, mail }) => ({ id, given: first, family: last, email: mail, source: "crm", version: 2 })),
  },
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

/** What five transforms cost beside one loop by hand, without what an action costs that has none. */
export async function benchChain(rounds: number): Promise<ChainReport> {
  const planned = planTexts([{ file: "chain.yaml", text: config }]);
  const loaded = { printed: await load(await printAll(planned)), walked: await load(await printAll(planned, { interpret: true })) };
  const report: Record<string, ChainReport[string]> = {};
  const none = { printed: runner(loaded.printed, "none"), walked: runner(loaded.walked, "none"), byHand: () => null };
  for (const { name, chain, run } of byHand) {
    const ways = { printed: runner(loaded.printed, chain), walked: runner(loaded.walked, chain), byHand: run };
    const expected = JSON.stringify(run());
    const times = { printed: [] as number[], walked: [] as number[], byHand: [] as number[] };
    // The first round warms up.
    for (let round = 0; round <= rounds; round++) {
      for (const way of ["printed", "walked", "byHand"] as const) {
        if (JSON.stringify(ways[way]()) !== expected) throw new Error(`${name}, ${way}: gives something else`);
        const time = nanoseconds(ways[way]) - nanoseconds(none[way]);
        if (round > 0) times[way].push(time);
      }
    }
    report[name] = times;
  }
  return report;
}

/** One run of an interface: the data of its action. */
function runner({ configs, createHost, Run }: Loaded, name: string): () => Json {
  const service = configs[0];
  const target = service?.interfaces.find((each): each is Interface => each.name === name);
  if (service === undefined || target === undefined) throw new Error(`no interface ${name}`);
  const host = createHost({ env: {} });
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
  return () => {
    const run = new Run(host, service, target, request);
    target.run(run);
    return run.acts[0]?.data ?? null;
  };
}

export function chainTable(report: ChainReport): string {
  const lines = byHand.flatMap(({ name, goal }) => {
    const times = report[name];
    if (times === undefined) return [];
    const { printed, walked, byHand: hand } = times;
    const ratio = `${figure(median(ratios(printed, hand)))} ${goal === undefined ? "" : verdict(printed, hand, goal)}`.trimEnd();
    return [[name, figure(median(hand)), figure(median(printed)), figure(median(walked)), ratio]];
  });
  return table(["five transforms, 100 rows", "by hand ns", "printed ns", "walked ns", "printed to hand"], lines);
}
