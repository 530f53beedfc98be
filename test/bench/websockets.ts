import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { socketGoals, verdict } from "./goals.ts";
import { onProcessor, processors } from "./pinning.ts";
import { type Server, startServer } from "./server.ts";
import { type Client, frameOf, openSocket } from "./socket-client.ts";
import { median, quantile, ratios } from "./statistics.ts";
import { type SocketSystemName, socketCommands, socketSystemNames } from "./systems.ts";
import { figure, table } from "./table.ts";
import { inTurn } from "./turns.ts";

/** Sockets that are open at a time. */
export const sockets = 1_000;

export const socketWorkloads = {
  w9: { title: "echo, 1,000 sockets", unit: "echo", under: echoes },
  w10: { title: "fan-out to 1,000 sockets", unit: "delivery", under: deliveries },
} as const;
export type SocketWorkloadName = keyof typeof socketWorkloads;

/** The measurement of one round of one system: CPU in microseconds a message. */
interface Round {
  readonly cpu: number;
  readonly perSecond: number;
}

export type SocketReport = Readonly<Record<SocketSystemName, readonly Round[]>>;

/** Runs the workloads of sockets: all servers have their connections, one of them at a time is under load, in turns. */
export async function benchSockets(
  names: readonly SocketWorkloadName[],
  { rounds, duration }: { readonly rounds: number; readonly duration: number },
  found: (name: SocketWorkloadName, report: SocketReport) => void,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "pipewright-bench-"));
  const { server, client } = processors();
  const servers: Server<SocketSystemName>[] = [];
  try {
    const commands = await socketCommands(folder);
    for (const name of socketSystemNames) servers.push(await startServer(name, commands[name], server));
    for (const name of names) found(name, await onProcessor(client, () => benchWorkload(name, servers, rounds, duration)));
  } finally {
    await Promise.all(servers.map((each) => each.stop()));
    rmSync(folder, { recursive: true, force: true });
  }
}

async function benchWorkload(
  name: SocketWorkloadName,
  servers: readonly Server<SocketSystemName>[],
  rounds: number,
  duration: number,
): Promise<SocketReport> {
  const report: Record<SocketSystemName, Round[]> = { pipewright: [], interpreted: [], ws: [] };
  const failure = Promise.withResolvers<never>();
  failure.promise.catch(() => undefined);
  const crowds = new Map<Server, readonly Client[]>();
  try {
    for (const server of servers) crowds.set(server, await openAll(server.url, name, sockets, failure.reject));
    // The first round warms up.
    for (let round = 0; round <= rounds; round++) {
      for (const server of inTurn(servers, round)) {
        const before = server.cpu();
        const began = performance.now();
        const load = socketWorkloads[name].under(crowds.get(server) ?? [], began + duration * 1000);
        const messages = await Promise.race([load, failure.promise]);
        const seconds = (performance.now() - began) / 1000;
        if (round > 0) report[server.name].push({ cpu: (server.cpu() - before) / messages, perSecond: messages / seconds });
      }
    }
    return report;
  } finally {
    for (const crowd of crowds.values()) for (const each of crowd) each.close();
  }
}

/** Opens many connections, fifty at a time, so that the queue of a server that accepts them does not run over. */
export async function openAll(
  url: URL,
  name: SocketWorkloadName,
  count: number,
  failed: (error: Error) => void,
): Promise<readonly Client[]> {
  const open: Client[] = [];
  while (open.length < count) {
    const next = Array.from({ length: Math.min(50, count - open.length) }, () => openSocket(url, `/ws/local/bench/${name}`, failed));
    open.push(...(await Promise.all(next)));
  }
  return open;
}

const said = { id: 42, text: "hello, world", tags: ["a", "b"] };
const saying = frameOf(JSON.stringify(said));

/** Every socket sends its next message when it has heard the one before. Gives the number of echoes. */
export async function echoes(crowd: readonly Client[], until: number): Promise<number> {
  let heard = 0;
  const all = crowd.map(
    (client) =>
      new Promise<void>((resolve, reject) => {
        client.onText = (text) => {
          heard += 1;
          if (!isEcho(text)) reject(new Error(`no echo: ${text}`));
          else if (performance.now() < until) client.send(saying);
          else resolve();
        };
        client.send(saying);
      }),
  );
  await Promise.all(all);
  return heard;
}

/** The bytes that each echo has, in whatever envelope: to parse each of them would cost the client more than the server. */
const saidBytes = Buffer.from(JSON.stringify(said));
const isEcho = (text: Buffer): boolean => text.includes(saidBytes);

const subscribing = frameOf('{"ap_subscribe":"news"}');
const subscribed = { ap_subscribed: ["news"] };
const pushed = Buffer.from(JSON.stringify({ ap_channel: "news", data: said }));

/** Messages that are under way at a time. */
const ahead = 4;

/** One of the sockets sends a text, and the next one when all sockets have got it. Gives the number of deliveries. */
export async function deliveries(crowd: readonly Client[], until: number): Promise<number> {
  const [speaker] = crowd;
  if (speaker === undefined) throw new Error("nobody is connected");
  await Promise.all(crowd.map(subscribe));
  const done = Promise.withResolvers<void>();
  let sent = 0;
  let heard = 0;
  const say = (): void => {
    sent += 1;
    speaker.send(saying);
  };
  const hear = (text: Buffer): void => {
    heard += 1;
    if (!text.equals(pushed)) done.reject(new Error(`not what was said: ${text}`));
    if (heard % crowd.length !== 0) return;
    if (performance.now() < until) say();
    else if (heard === sent * crowd.length) done.resolve();
  };
  for (const client of crowd) client.onText = hear;
  for (let i = 0; i < ahead; i++) say();
  await done.promise;
  return heard;
}

/** Subscribing again is what a socket may do, and changes nothing. */
function subscribe(client: Client): Promise<void> {
  return new Promise((resolve, reject) => {
    client.onText = (text) => {
      if (isDeepStrictEqual(JSON.parse(text.toString()), subscribed)) resolve();
      else reject(new Error(`not subscribed: ${text}`));
    };
    client.send(subscribing);
  });
}

export function socketTable(name: SocketWorkloadName, report: SocketReport): string {
  const of = (system: SocketSystemName, field: keyof Round): number[] => report[system].map((round) => round[field]);
  const goal = socketGoals[name];
  const goalOf: Readonly<Record<SocketSystemName, string>> = {
    pipewright: "",
    interpreted: `of pipewright ${verdict(of("interpreted", "cpu"), of("pipewright", "cpu"), goal.interpreted)}`,
    ws: `of it ${verdict(of("pipewright", "cpu"), of("ws", "cpu"), goal.ws)}`,
  };
  const rows = socketSystemNames.map((system) => {
    const all = ratios(of(system, "cpu"), of("ws", "cpu"));
    const against = `${figure(median(all))} (${figure(quantile(all, 0.1))}-${figure(quantile(all, 0.9))})`;
    return [system, figure(median(of(system, "cpu"))), against, median(of(system, "perSecond")).toFixed(0), goalOf[system]];
  });
  const { title, unit } = socketWorkloads[name];
  return table([`${name} ${title}`, `CPU us/${unit}`, "to ws", "a second", "goal"], rows);
}
