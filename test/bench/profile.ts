import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "./database.ts";
import { type Load, socketLoad } from "./load.ts";
import type { Options } from "./options.ts";
import { onProcessor, processors } from "./pinning.ts";
import { areaOf, type Sections, sectionsOf } from "./profile-areas.ts";
import { type Command, startServer } from "./server.ts";
import { type SystemName, systemCommands, upstreamCommand } from "./systems.ts";
import { figure, table } from "./table.ts";
import { type Workload, type WorkloadName, workloads } from "./workloads.ts";
import { hasProgram, wrkLoad } from "./wrk.ts";

/** Microseconds of a request by area, and the functions that cost most in themselves. */
export interface Profile {
  readonly cpu: number;
  readonly areas: Readonly<Record<string, number>>;
  readonly functions: readonly { readonly name: string; readonly share: number }[];
}

const profiled = ["pipewright", "fastify", "node:http"] as const satisfies readonly SystemName[];
type Profiled = (typeof profiled)[number];
export type ProfileReport = Readonly<Record<Profiled, Profile>>;

/** Where the time of a workload goes, by V8's profiler: shares of the samples, as microseconds of the processor time of a request. */
export async function profileHttp(
  names: readonly WorkloadName[],
  { duration, connections }: Pick<Options, "duration" | "connections">,
  found: (name: WorkloadName, report: ProfileReport) => void,
): Promise<void> {
  const database = names.includes("w6") ? await openDatabase() : undefined;
  const folder = mkdtempSync(join(tmpdir(), "pipewright-profile-"));
  const { server, client } = processors();
  const upstream = await startServer("upstream", upstreamCommand, client);
  try {
    const commands = await systemCommands(folder, {
      database: database?.address ?? "postgres://127.0.0.1:1/none",
      upstream: upstream.url.origin,
    });
    const load = hasProgram("wrk", "-v") ? wrkLoad(folder) : socketLoad;
    for (const name of names) {
      const workload: Workload = workloads[name];
      if (workload.needsDatabase === true && database === undefined) continue;
      const take = (system: Profiled): Promise<Profile> =>
        profileOne(commands[system], join(folder, `${name}-${system.replace(":", "")}`), {
          workload,
          seconds: duration,
          connections,
          server,
          load,
        });
      const report = await onProcessor(client, async () => ({
        pipewright: await take("pipewright"),
        fastify: await take("fastify"),
        "node:http": await take("node:http"),
      }));
      found(name, report);
    }
  } finally {
    await upstream.stop();
    await database?.drop();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Setting {
  readonly workload: Workload;
  readonly seconds: number;
  readonly connections: number;
  readonly server: number | undefined;
  readonly load: Load;
}

/** Node writes a profile when a process exits, which a server without a handler of the signal does not. */
const endsAtOnce = 'data:text/javascript,process.once("SIGTERM", () => process.exit())';

async function profileOne(command: Command, folder: string, { workload, seconds, connections, server, load }: Setting): Promise<Profile> {
  const flags = ["--cpu-prof", `--cpu-prof-dir=${folder}`, "--cpu-prof-interval=200", "--import", endsAtOnce];
  const running = await startServer("profiled", { ...command, args: [...flags, ...command.args] }, server);
  const before = running.cpu();
  const { requests } = await load(running.url, workload, workload.connections ?? connections, seconds);
  const cpu = (running.cpu() - before) / requests;
  await running.stop();
  const file = readdirSync(folder).find((each) => each.endsWith(".cpuprofile"));
  if (file === undefined) throw new Error("the server has written no profile: it was killed before it could");
  return read(JSON.parse(readFileSync(join(folder, file), "utf8")), cpu);
}

/** The profile as V8 writes it, as far as it is read here. */
interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
    readonly children?: readonly number[];
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

function read({ nodes, samples, timeDeltas }: CpuProfile, cpu: number): Profile {
  const own = new Map<number, number>();
  for (const [index, id] of samples.entries()) own.set(id, (own.get(id) ?? 0) + Math.max(0, timeDeltas[index] ?? 0));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const sections: Sections = sectionsOf();
  const areas: Record<string, number> = {};
  const functions: Record<string, number> = {};
  let busy = 0;
  for (const node of nodes) {
    const time = own.get(node.id) ?? 0;
    const name = node.callFrame.functionName;
    if (time === 0 || name === "(idle)") continue;
    busy += time;
    // A built-in function costs what the code does that calls it.
    let owner: typeof node | undefined = node;
    while (owner !== undefined && owner.callFrame.url === "" && !owner.callFrame.functionName.startsWith("("))
      owner = byId.get(parents.get(owner.id) ?? -1);
    const area = areaOf((owner ?? node).callFrame, sections);
    areas[area] = (areas[area] ?? 0) + time;
    const { url, lineNumber } = node.callFrame;
    const label = `${name || "(anonymous)"} ${url === "" ? area : sections(url, lineNumber)}`;
    functions[label] = (functions[label] ?? 0) + time;
  }
  return {
    cpu,
    areas: Object.fromEntries(Object.entries(areas).map(([area, time]) => [area, (time / busy) * cpu])),
    functions: Object.entries(functions)
      .map(([name, time]) => ({ name, share: time / busy }))
      .sort((a, b) => b.share - a.share)
      .slice(0, 100),
  };
}

/** One line an area, dearest first. */
export function profileTable(name: WorkloadName, report: ProfileReport): string {
  const areas = [...new Set(profiled.flatMap((system) => Object.keys(report[system].areas)))];
  const of = (system: Profiled, area: string): number => report[system].areas[area] ?? 0;
  const most = (area: string): number => Math.max(...profiled.map((system) => of(system, area)));
  const total = ["all", ...profiled.map((system) => figure(report[system].cpu))];
  const rows = areas
    .filter((area) => most(area) >= 0.05)
    .sort((a, b) => most(b) - most(a))
    .map((area) => [area, ...profiled.map((system) => figure(of(system, area)))]);
  const dearest = profiled.map((system) =>
    report[system].functions
      .slice(0, 25)
      .map(({ name: each, share }) => `${figure(share * report[system].cpu).padStart(6)} ${each}`)
      .join("\n"),
  );
  const titles = profiled.map((system, i) => `${system}: the dearest functions\n${dearest[i]}\n`);
  return [table([`${name} ${workloads[name].title}, us a request`, ...profiled], [total, ...rows]), "", ...titles].join("\n");
}
