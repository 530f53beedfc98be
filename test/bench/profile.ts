import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "./database.ts";
import { type Load, socketLoad } from "./load.ts";
import type { Options } from "./options.ts";
import { onProcessor, processors } from "./pinning.ts";
import { areaOf, type Sections, sectionsOf } from "./profile-areas.ts";
import { type Command, startServer } from "./server.ts";
import { type SocketSystemName, type SystemName, socketCommands, systemCommands, upstreamCommand } from "./systems.ts";
import { figure, table } from "./table.ts";
import { openAll, type SocketWorkloadName, sockets, socketWorkloads } from "./websockets.ts";
import { type Workload, type WorkloadName, workloads } from "./workloads.ts";
import { hasProgram, wrkLoad } from "./wrk.ts";

/** Microseconds of a request by area, and the functions that cost most in themselves. */
export interface Profile {
  readonly cpu: number;
  readonly areas: Readonly<Record<string, number>>;
  readonly functions: readonly { readonly name: string; readonly share: number }[];
}

/** The profiles of a workload by system, in the order of the table. */
export type ProfileReport = Readonly<Record<string, Profile>>;

type Duration = Pick<Options, "duration">;

const httpSystems = ["pipewright", "fastify", "node:http"] as const satisfies readonly SystemName[];
const socketSystems = ["pipewright", "ws"] as const satisfies readonly SocketSystemName[];

/** The time of a workload by area, from V8's profiler: shares of the samples, as microseconds of the processor time of a request. */
export async function profileHttp(
  names: readonly WorkloadName[],
  { duration, connections }: Duration & Pick<Options, "connections">,
  found: (name: WorkloadName, report: ProfileReport) => void,
): Promise<void> {
  const database = names.includes("w6") ? await openDatabase() : undefined;
  const folder = mkdtempSync(join(tmpdir(), "pipewright-profile-"));
  const upstream = await startServer("upstream", upstreamCommand, processors().client);
  try {
    const commands = await systemCommands(folder, {
      database: database?.address ?? "postgres://127.0.0.1:1/none",
      upstream: upstream.url.origin,
    });
    const load: Load = hasProgram("wrk", "-v") ? wrkLoad(folder) : socketLoad;
    for (const name of names) {
      const workload: Workload = workloads[name];
      if (workload.needsDatabase === true && database === undefined) continue;
      const asked = async (url: URL): Promise<number> =>
        (await load(url, workload, workload.connections ?? connections, duration)).requests;
      found(name, await profiles(httpSystems, commands, join(folder, name), asked));
    }
  } finally {
    await upstream.stop();
    await database?.drop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The time of the workloads of sockets by area, in microseconds of an echo or a delivery. */
export async function profileSockets(
  names: readonly SocketWorkloadName[],
  { duration }: Duration,
  found: (name: SocketWorkloadName, report: ProfileReport) => void,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "pipewright-profile-"));
  try {
    const commands = await socketCommands(folder);
    for (const name of names) {
      const heard = async (url: URL): Promise<number> => {
        const failure = Promise.withResolvers<never>();
        const crowd = await openAll(url, name, sockets, failure.reject);
        try {
          return await Promise.race([socketWorkloads[name].under(crowd, performance.now() + duration * 1000), failure.promise]);
        } finally {
          for (const client of crowd) client.close();
        }
      };
      found(name, await profiles(socketSystems, commands, join(folder, name), heard));
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Puts a server under load, and gives the number of messages that it has answered. */
type Messages = (url: URL) => Promise<number>;

/** Profiles the systems one after the other, each on its own processor while the load has the other one. */
async function profiles<Name extends string>(
  systems: readonly Name[],
  commands: Readonly<Record<Name, Command>>,
  folder: string,
  load: Messages,
): Promise<ProfileReport> {
  const { server, client } = processors();
  const report: Record<string, Profile> = {};
  for (const system of systems) {
    const own = `${folder}-${system.replace(":", "")}`;
    report[system] = await onProcessor(client, () => profileOne(commands[system], own, server, load));
  }
  return report;
}

/** Node writes a profile when a process exits, which a server without a handler of the signal does not. */
const endsAtOnce = 'data:text/javascript,process.once("SIGTERM", () => process.exit())';

async function profileOne(command: Command, folder: string, processor: number | undefined, load: Messages): Promise<Profile> {
  const flags = ["--cpu-prof", `--cpu-prof-dir=${folder}`, "--cpu-prof-interval=200", "--import", endsAtOnce];
  const running = await startServer("profiled", { ...command, args: [...flags, ...command.args] }, processor);
  const before = running.cpu();
  const messages = await load(running.url);
  const cpu = (running.cpu() - before) / messages;
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

/** A line for each area, dearest first, and the dearest functions of each system. `title` names the workload and its unit. */
export function profileTable(title: string, report: ProfileReport): string {
  const all = Object.entries(report);
  const areas = [...new Set(all.flatMap(([, profile]) => Object.keys(profile.areas)))];
  const of = (area: string): number[] => all.map(([, profile]) => profile.areas[area] ?? 0);
  const rows = areas
    .map((area) => ({ area, times: of(area), most: Math.max(...of(area)) }))
    .filter(({ most }) => most >= 0.05)
    .sort((a, b) => b.most - a.most)
    .map(({ area, times }) => [area, ...times.map(figure)]);
  const total = ["all", ...all.map(([, { cpu }]) => figure(cpu))];
  const dearest = all.map(([system, { cpu, functions }]) => {
    const lines = functions.slice(0, 25).map(({ name, share }) => `${figure(share * cpu).padStart(6)} ${name}`);
    return `${system}: the dearest functions\n${lines.join("\n")}\n`;
  });
  return [table([title, ...Object.keys(report)], [total, ...rows]), "", ...dearest].join("\n");
}
