import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "../../harness/peers/free-port.ts";
import type { Load } from "../load.ts";
import { onProcessor, processors } from "../pinning.ts";
import { residentOf } from "../scale/resident.ts";
import { cpuOf, type Server, startServer } from "../server.ts";
import { median, ratios } from "../statistics.ts";
import { systemCommands, upstreamCommand } from "../systems.ts";
import { figure, table } from "../table.ts";
import { inTurn } from "../turns.ts";
import { type Workload, workloads } from "../workloads.ts";
import { hasProgram, wrkLoad } from "../wrk.ts";
import { caddy } from "./caddy.ts";
import { nginx } from "./nginx.ts";
import { nodeRed } from "./node-red.ts";
import type { Peer } from "./peer.ts";

// Other programs that can do the work of w1 and w3. None of them is a dependency: who wants the table installs them, and this says how.

const peers: readonly Peer[] = [nodeRed, caddy, nginx];
const compared: readonly Workload[] = [workloads.w1, workloads.w3];

/** A server under test, and what it is called in the table. */
type Named = Pick<Server, "url" | "pid" | "cpu" | "stop"> & { readonly title: string };

export interface PeersReport {
  readonly workload: string;
  readonly rows: readonly {
    readonly title: string;
    readonly cpu: number;
    readonly toOurs: number;
    readonly rps: number;
    readonly memory: number;
  }[];
}

interface Round {
  readonly cpu: number;
  readonly rps: number;
}

/** Measures pipewright, Fastify and the installed peers, in turns. Undefined, with a line on stderr, without a peer or without wrk. */
export async function benchPeers(options: { readonly rounds: number; readonly duration: number; readonly connections: number }) {
  const found = peers.flatMap((peer) => {
    const version = versionOf(peer);
    if (version === undefined) console.error(`${peer.title} is skipped: ${peer.get}`);
    return version === undefined ? [] : [{ peer, version }];
  });
  if (found.length === 0 || !hasProgram("wrk", "-v")) {
    console.error("peers are skipped: there is none of them, or no wrk, which reads whatever form an answer has");
    return undefined;
  }
  const folder = mkdtempSync(join(tmpdir(), "pipewright-peers-"));
  const { server: processor, client } = processors();
  const running: Pick<Server, "stop">[] = [];
  try {
    const upstream = await startServer("upstream", upstreamCommand, client);
    running.push(upstream);
    const commands = await systemCommands(folder, { database: "postgres://127.0.0.1:1/none", upstream: upstream.url.origin });
    const servers: Named[] = [];
    for (const title of ["pipewright", "fastify"] as const)
      servers.push({ title, ...(await startServer(title, commands[title], processor)) });
    running.push(...servers);
    for (const { peer, version } of found) {
      const started = await startPeer(peer, `${peer.title} ${version}`, folder, upstream.url.origin, processor);
      running.push(started);
      servers.push(started);
    }
    const reports: PeersReport[] = [];
    await onProcessor(client, async () => {
      for (const workload of compared) reports.push(await underLoad(servers, workload, wrkLoad(folder), options));
    });
    return reports;
  } finally {
    await Promise.all(running.map((each) => each.stop()));
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The program that runs a peer, with the arguments that come first. */
const commandOf = ({ program, script }: Peer): readonly [string, ...string[]] =>
  script === true ? [process.execPath, program] : [program];

/** The version that the program prints; undefined when it is not installed. nginx prints its version on stderr. */
function versionOf(peer: Peer): string | undefined {
  const [program, ...args] = commandOf(peer);
  try {
    const said = execFileSync("sh", ["-c", '"$@" 2>&1', "sh", program, ...args, ...peer.version], { encoding: "utf8" });
    return /\d+(?:\.\d+)+/.exec(said)?.[0];
  } catch {
    return undefined;
  }
}

async function startPeer(peer: Peer, title: string, folder: string, upstream: string, processor: number | undefined): Promise<Named> {
  const port = await freePort();
  const own = join(folder, peer.title.replaceAll(" ", "-"));
  mkdirSync(own);
  const { args, env } = peer.prepare({ folder: own, port, upstream });
  const pinned = processor === undefined ? [] : ["taskset", "-c", String(processor)];
  const [program = "", ...rest] = [...pinned, ...commandOf(peer), ...args];
  const child = spawn(program, rest, { stdio: ["ignore", "ignore", "inherit"], env: { ...process.env, NODE_ENV: "production", ...env } });
  const kill = (): void => void child.kill();
  process.on("exit", kill);
  const url = new URL(`http://127.0.0.1:${port}`);
  await answers(url, peer.title, () => child.exitCode !== null);
  const pid = child.pid ?? 0;
  const stop = async (): Promise<void> => {
    const ended = once(child, "exit");
    kill();
    await ended;
    process.off("exit", kill);
  };
  return { title, url, pid, cpu: () => cpuOf(pid), stop };
}

/** Asks until the first answer comes, because each program reports in its own words that it listens, or not at all. */
async function answers(url: URL, title: string, hasEnded: () => boolean): Promise<void> {
  for (;;) {
    const response = await fetch(new URL("/w1", url)).catch(() => undefined);
    await response?.arrayBuffer();
    if (response?.ok === true) return;
    if (hasEnded()) throw new Error(`${title} ended before it answered`);
    await pause(100);
  }
}

async function underLoad(
  servers: readonly Named[],
  workload: Workload,
  load: Load,
  { rounds, duration, connections }: { readonly rounds: number; readonly duration: number; readonly connections: number },
): Promise<PeersReport> {
  for (const server of servers) await checkAnswer(server, workload);
  const all = new Map(servers.map(({ title }) => [title, [] as Round[]]));
  // The first round warms up.
  for (let round = 0; round <= rounds; round++) {
    for (const server of inTurn(servers, round)) {
      const before = server.cpu();
      const { requests, seconds } = await load(server.url, workload, connections, duration);
      if (round > 0) all.get(server.title)?.push({ cpu: (server.cpu() - before) / requests, rps: requests / seconds });
    }
  }
  const ours = all.get("pipewright")?.map(({ cpu }) => cpu) ?? [];
  const rows = servers.map(({ title, pid }) => {
    const rounds = all.get(title) ?? [];
    const cpu = rounds.map((each) => each.cpu);
    const rps = median(rounds.map((each) => each.rps));
    return { title, cpu: median(cpu), toOurs: median(ratios(cpu, ours)), rps, memory: residentOf(pid) };
  });
  return { workload: workload.title, rows };
}

/** Compares the data of an answer: only programs with equal data are compared in time. */
async function checkAnswer({ title, url }: Named, { path, isRight }: Workload): Promise<void> {
  const response = await fetch(new URL(path, url));
  const text = await response.text();
  const value = JSON.parse(text);
  if (!isRight(value?.data?.Reply?.data ?? value)) throw new Error(`${title} ${path}: ${response.status} ${text.slice(0, 500)}`);
}

export function peersTable(reports: readonly PeersReport[]): string {
  const rows = reports.flatMap(({ workload, rows }) =>
    rows.map(({ title, cpu, toOurs, rps, memory }) => [
      `${workload}: ${title}`,
      figure(cpu),
      figure(toOurs),
      rps.toFixed(0),
      figure(memory),
    ]),
  );
  return table(["peers", "CPU us/request", "to pipewright", "requests/s", "RSS MiB"], rows);
}
