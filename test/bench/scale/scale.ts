import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { planTexts } from "../../../compiler/pipeline.ts";
import { socketLoad } from "../load.ts";
import { onProcessor, processors } from "../pinning.ts";
import { type Command, type Server, startServer } from "../server.ts";
import { median } from "../statistics.ts";
import { linkedTo, node, serving, socketCommands } from "../systems.ts";
import { figure, table } from "../table.ts";
import { openAll } from "../websockets.ts";
import { residentOf } from "./resident.ts";

// Growth of costs with the size of what is served: for ten times the size they should be ten times as high, or less.

/** One point of a curve: sizes against a cost, in the unit of the curve. */
export interface Curve {
  readonly title: string;
  readonly unit: string;
  readonly points: readonly { readonly size: number; readonly cost: number }[];
}

const rounds = 3;
const seconds = 1;
const connections = 8;

const interfaces = (count: number): string =>
  `name: scale\ninterfaces:\n${Array.from({ length: count }, (_, i) => `  i${i}: { method: GET, output: http, actions: [{ name: Reply, json_output: { number: ${i} } }] }\n`).join("")}`;

const lists = `name: scale
interfaces:
  rows:
    method: POST
    output: http
    actions:
      - name: Reply
        input: a|body|
        post_transforms: [{ rename_keys: { a: b } }, { add_attribute: { source: scale } }]
  items:
    method: POST
    output: http
    actions:
      - name: Reply
        lookup: a|body|
        lookup_concurrency: 10
        actions: [{ name: Each, json_output: { got: a|body::a| } }]
`;

/** Measures all curves; each is given to `found` when it is done. */
export async function benchScale(found: (curves: readonly Curve[]) => void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "pipewright-scale-"));
  try {
    found(await byInterfaces(folder));
    found(await byLists(folder));
    found([await bySockets(folder)]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function served<T>(command: Command, work: (server: Server, started: number) => Promise<T>): Promise<T> {
  const processor = processors();
  const began = performance.now();
  const server = await startServer("scale", command, processor.server);
  const started = performance.now() - began;
  try {
    return await onProcessor(processor.client, () => work(server, started));
  } finally {
    await server.stop();
  }
}

async function commandOf(folder: string, name: string, text: string): Promise<Command> {
  const file = await linkedTo(folder, name, planTexts([{ file: "scale.yaml", text }]), false);
  return node(file, {}, ...serving);
}

/** Microseconds of processor time a request. */
async function costOf(server: Server, path: string, body?: string): Promise<number> {
  const shot = {
    method: body === undefined ? "GET" : "POST",
    path,
    headers: body === undefined ? {} : { "content-type": "application/json" },
    ...(body === undefined ? {} : { body }),
  };
  const costs: number[] = [];
  // The first round warms up.
  for (let round = 0; round <= rounds; round++) {
    const before = server.cpu();
    const { requests } = await socketLoad(server.url, shot, connections, seconds);
    if (round > 0) costs.push((server.cpu() - before) / requests);
  }
  return median(costs);
}

async function byInterfaces(folder: string): Promise<readonly Curve[]> {
  const [cpu, start, memory]: Curve["points"][number][][] = [[], [], []];
  for (const size of [10, 100, 1_000, 10_000]) {
    const command = await commandOf(folder, `interfaces-${size}`, interfaces(size));
    await served(command, async (server, started) => {
      memory?.push({ size, cost: residentOf(server.pid) });
      start?.push({ size, cost: started });
      // The last interface is called, because a table that is searched from its beginning finds it last.
      cpu?.push({ size, cost: await costOf(server, `/i${size - 1}`) });
    });
  }
  return [
    { title: "interfaces: a request", unit: "CPU us", points: cpu ?? [] },
    { title: "interfaces: start", unit: "ms", points: start ?? [] },
    { title: "interfaces: memory", unit: "MiB", points: memory ?? [] },
  ];
}

async function byLists(folder: string): Promise<readonly Curve[]> {
  return served(await commandOf(folder, "lists", lists), async (server) => {
    const curve = async (path: string, sizes: readonly number[]): Promise<Curve["points"]> => {
      const points: Curve["points"][number][] = [];
      for (const size of sizes) {
        const body = JSON.stringify(Array.from({ length: size }, (_, i) => ({ a: i, text: "a row" })));
        points.push({ size, cost: await costOf(server, path, body) });
      }
      return points;
    };
    return [
      { title: "rows: a request", unit: "CPU us", points: await curve("/rows", [1, 10, 100, 1_000, 10_000]) },
      { title: "items of a lookup: a request", unit: "CPU us", points: await curve("/items", [1, 10, 100, 1_000]) },
    ];
  });
}

async function bySockets(folder: string): Promise<Curve> {
  const { pipewright } = await socketCommands(folder);
  return served(pipewright, async (server) => {
    const empty = residentOf(server.pid);
    const points: Curve["points"][number][] = [];
    const open: Awaited<ReturnType<typeof openAll>>[number][] = [];
    try {
      for (const size of [10, 100, 1_000, 10_000]) {
        const lost = (error: Error): void => console.error(`a socket was lost: ${error.message}`);
        open.push(...(await openAll(server.url, "w9", size - open.length, lost)));
        points.push({ size, cost: residentOf(server.pid) - empty });
      }
    } finally {
      for (const each of open) each.close();
    }
    return { title: "open sockets: more memory", unit: "MiB", points };
  });
}

/** The largest power of its size with which a curve may grow; 1 is growth in proportion. */
const mostExponent = 1.1;

/** The growth is that of the line through the last points. At smaller sizes the cost of an empty request is most of it. */
const lastPoints = 3;

/**
 * The power of the size with which the cost grows, between the last points; below 0 where larger sizes cost less. NaN where there are not
 * two costs above 0.
 */
export function exponentOf(points: Curve["points"]): number {
  const logs = points
    .slice(-lastPoints)
    .filter(({ cost }) => cost > 0)
    .map(({ size, cost }) => [Math.log(size), Math.log(cost)] as const);
  const [x, y] = [0, 1].map((at) => logs.reduce((sum, each) => sum + (each[at] ?? 0), 0) / logs.length);
  if (x === undefined || y === undefined || logs.length < 2) return Number.NaN;
  const above = logs.reduce((sum, [size, cost]) => sum + (size - x) * (cost - y), 0);
  return above / logs.reduce((sum, [size]) => sum + (size - x) ** 2, 0);
}

/** One line for each point: its cost, and the growth since the point before. The last line of a curve has the growth of the whole curve. */
export function scaleTable(curves: readonly Curve[]): string {
  const rows = curves.flatMap(({ title, unit, points }) => {
    const exponent = exponentOf(points);
    const verdict = `size^${exponent.toFixed(2)} ${exponent <= mostExponent ? "ok" : "STEEP"}`;
    return points.map(({ size, cost }, i) => {
      const before = points[i - 1];
      const growth = before === undefined ? "" : `x${figure(cost / before.cost)} for x${figure(size / before.size)}`;
      return [title, String(size), `${figure(cost)} ${unit}`, growth, i === points.length - 1 ? verdict : ""];
    });
  });
  return table(["", "of them", "cost", "growth", `at most size^${mostExponent}`], rows);
}
