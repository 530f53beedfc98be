import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generate } from "mqtt-packet";
import { freePort } from "../../harness/peers/free-port.ts";
import { countedLoad } from "../load.ts";
import { type Server, startServer } from "../server.ts";
import { openSocket } from "../socket-client.ts";
import { linkedTo, node, planService, serving } from "../systems.ts";
import { figure, table } from "../table.ts";
import { residentOf } from "./resident.ts";

// Memory of what a service holds while it waits: connections, and runs. The cost of the first thousand is not counted, because with them
// the process itself grows.

export interface HeldReport {
  readonly title: string;
  readonly count: number;
  /** KiB of resident memory for each. */
  readonly each: number;
}

const first = 1_000;
const all = 9_000;

/** Adds `count` of them to what a server holds; each has a number of its own from `from` on. */
type Add = (server: Server, from: number, count: number) => Promise<void>;

/** Measures each kind on a server of its own. */
export async function benchHeld(): Promise<readonly HeldReport[]> {
  const folder = mkdtempSync(join(tmpdir(), "pipewright-held-"));
  try {
    return await allKinds(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function allKinds(folder: string): Promise<readonly HeldReport[]> {
  const open: { readonly close: () => void }[] = [];
  const port = await freePort();
  const kinds: readonly (readonly [title: string, add: Add, env: Readonly<Record<string, string>>])[] = [
    ["open WebSocket", sockets(open), {}],
    ["MQTT connection", mqttConnections(open, port), { PIPEWRIGHT_MQTT_BIND: `127.0.0.1:${port}` }],
    ["waiting run, in SQLite", waitingRuns, { PIPEWRIGHT_STATE_DATABASE_URL: `sqlite:${join(folder, "held.db")}` }],
    ["recorded run, in memory", recordedRuns, {}],
    ["recorded run, in SQLite", recordedRuns, { PIPEWRIGHT_STATE_DATABASE_URL: `sqlite:${join(folder, "recorded.db")}` }],
  ];
  const limits = {
    PIPEWRIGHT_WS_MAX_CONNECTIONS: "20000",
    PIPEWRIGHT_MQTT_MAX_CONNECTIONS: "20000",
    PIPEWRIGHT_MAX_DETACHED_RUNS: "20000",
  };
  const file = await linkedTo(folder, "held", await planService(undefined, "scale/held.yaml"), false);
  const reports: HeldReport[] = [];
  for (const [title, add, env] of kinds) {
    const server = await startServer("held", node(file, { ...limits, ...env }, ...serving), undefined);
    try {
      await add(server, 0, first);
      const before = residentOf(server.pid);
      await add(server, first, all);
      reports.push({ title, count: first + all, each: ((residentOf(server.pid) - before) * 1024) / all });
    } finally {
      for (const each of open.splice(0)) each.close();
      await server.stop();
    }
  }
  return reports;
}

const lost = (error: Error): void => console.error(`a connection was lost: ${error.message}`);

/** The number of connections that are opened at a time: the queue of connections that the server has not taken yet is short. */
const atOnce = 100;

async function inParts(from: number, count: number, one: (number: number) => Promise<void>): Promise<void> {
  for (let at = from; at < from + count; at += atOnce) {
    await Promise.all(Array.from({ length: Math.min(atOnce, from + count - at) }, (_, i) => one(at + i)));
  }
}

type Open = { readonly close: () => void }[];

const sockets =
  (open: Open): Add =>
  ({ url }, from, count) =>
    inParts(from, count, async () => void open.push(await openSocket(url, "/ws/local/bench/socket", lost)));

const mqttConnections =
  (open: Open, port: number): Add =>
  (_server, from, count) =>
    inParts(from, count, async (number) => {
      const socket: Socket = connect({ host: "127.0.0.1", port });
      open.push({ close: () => void socket.destroy() });
      await once(socket, "connect");
      socket.write(
        generate({ cmd: "connect", protocolId: "MQTT", protocolVersion: 4, clean: true, clientId: `c${number}`, keepalive: 0 } as never), // all that is needed
      );
      const [answer]: [Buffer?] = (await once(socket, "data")) as [Buffer];
      if (answer?.[3] !== 0) throw new Error(`the broker has refused a client: ${answer?.toString("hex")}`);
    });

const waitingRuns: Add = ({ url }, from, count) =>
  inParts(from, count, async (number) => {
    const body = JSON.stringify({ token: `token-that-nobody-guesses-${number}`, order: number, items: ["a", "b", "c"] });
    const response = await fetch(new URL("/wait", url), { method: "POST", body, headers: { "content-type": "application/json" } });
    const text = await response.text();
    if (response.status !== 202) throw new Error(`a run does not wait: ${response.status} ${text}`);
  });

const recordedRuns: Add = ({ url }, _from, count) =>
  countedLoad(
    url,
    { method: "POST", path: "/recorded", headers: { "content-type": "application/json" }, body: '{"order":1,"items":["a","b","c"]}' },
    16,
    count,
  );

export function heldTable(reports: readonly HeldReport[]): string {
  return table(
    ["memory", "of them", "KiB each"],
    reports.map(({ title, count, each }) => [title, String(count), figure(Math.max(each, 0))]),
  );
}
