import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { WebSocket } from "ws";
import { socketLoad } from "../../bench/load.ts";
import { cpuOf } from "../../bench/server.ts";
import { median } from "../../bench/statistics.ts";
import { type ServingNode, startNode, writePrinted } from "./service.ts";

// Figures of a service on several nodes: the messages per second that reach all of them, and the cost of a store for requests that do not
// use it.

const board = `name: board
interfaces:
  live: { ws: "on", public: true, actions: [{ name: Told, ws_publish: { channels: news, data: a|body| } }] }
  plain: { method: GET, output: http, actions: [{ name: Hello, json_output: { hello: world } }] }
  kept: { method: POST, durable: true, actions: [{ name: Kept, json_output: 1 }] }
`;

export interface FanOut {
  readonly nodes: number;
  readonly messages: number;
  /** Messages a second that every node has given to its subscriber. */
  readonly perSecond: number;
}

/** Publishers at each node, and a subscriber at each node that hears them all. */
export function fanOut(server: string, { nodes, messages }: Pick<FanOut, "nodes" | "messages">): Promise<FanOut> {
  return withNodes(server, async (start) => {
    const urls: string[] = [];
    for (let n = 0; n < nodes; n++) urls.push((await start("with a store")).url);
    const subscribers = await Promise.all(urls.map(subscribed));
    const publishers = await Promise.all(urls.flatMap((url) => Array.from({ length: publishersOfNode }, () => publisherOf(url))));
    const each = Math.ceil(messages / publishers.length);
    const all = each * publishers.length;
    const began = performance.now();
    const heard = (): number => Math.min(...subscribers.map((one) => one.heard()));
    await Promise.all(publishers.map((publisher) => publish(publisher, each, (sent) => sent - heard() / publishers.length < mostUnderWay)));
    // A frame above the limit of a connection is answered with an error, and publishes nothing.
    const refused = (): number => publishers.reduce((sum, publisher) => sum + publisher.refused(), 0);
    while (heard() + refused() < all) await sleep(2);
    const seconds = (performance.now() - began) / 1_000;
    for (const { socket } of [...publishers, ...subscribers]) socket.terminate();
    return { nodes, messages: heard(), perSecond: heard() / seconds };
  });
}

async function connected(url: string): Promise<WebSocket> {
  const socket = new WebSocket(`${url.replace("http", "ws")}/ws/local/production/live`);
  await once(socket, "open");
  return socket;
}

/** A socket that counts what it hears, from the moment on at which the server has confirmed the subscription. */
async function subscribed(url: string): Promise<{ readonly socket: WebSocket; readonly heard: () => number }> {
  const socket = await connected(url);
  let heard = 0;
  const isSubscribed = new Promise<void>((resolve) => {
    socket.on("message", (data) => {
      const frame: object = JSON.parse(String(data));
      if ("ap_subscribed" in frame) resolve();
      if ("ap_channel" in frame && frame.ap_channel === "news") heard += 1;
    });
  });
  socket.send(JSON.stringify({ ap_subscribe: "news" }));
  await isSubscribed;
  return { socket, heard: () => heard };
}

interface Publisher {
  readonly socket: WebSocket;
  /** Frames that were answered with an error, such as those above the limit of a connection. */
  readonly refused: () => number;
}

async function publisherOf(url: string): Promise<Publisher> {
  const socket = await connected(url);
  let refused = 0;
  socket.on("message", (data) => {
    if (!String(data).includes('"published"') && !String(data).includes('"ap_channel"')) {
      refused += 1;
    }
  });
  return { socket, refused: () => refused };
}

/** A connection may send 1,000 frames a second. */
const publishersOfNode = 8;

/** Messages of a publisher that not all nodes have heard yet: at most 64 runs of a connection wait. */
const mostUnderWay = 40;

/** Sends so many frames, each of which runs the interface that publishes it. */
async function publish({ socket }: Publisher, count: number, mayGoOn: (sent: number) => boolean): Promise<void> {
  for (let n = 0; n < count; n++) {
    while (!mayGoOn(n)) await sleep(1);
    if (socket.readyState !== socket.OPEN) throw new Error("a node has closed the connection of a publisher");
    socket.send(JSON.stringify({ n, text: "x".repeat(100) }));
  }
}

export interface StoreCost {
  /** Microseconds of the processor that a request of a plain interface takes, without a store and with one: medians of the rounds. */
  readonly without: number;
  readonly with: number;
  /** The median of the ratios within a round. */
  readonly ratio: number;
}

/** Asks a plain interface of two processes in turns: one has a store of durable runs, which the request does not need. */
export function storeCost(server: string, rounds: number): Promise<StoreCost> {
  return withNodes(server, async (start) => {
    const both = { without: await start("without a store"), with: await start("with a store") };
    const taken: { readonly without: number; readonly with: number }[] = [];
    // The first round compiles the code.
    for (let round = 0; round <= rounds; round++) {
      const one = { without: 0, with: 0 };
      const names = ["without", "with"] as const;
      for (const name of round % 2 === 0 ? names : names.toReversed()) one[name] = await cpuOfRequest(both[name]);
      if (round > 0) taken.push(one);
    }
    return {
      without: median(taken.map((one) => one.without)),
      with: median(taken.map((one) => one.with)),
      ratio: median(taken.map((one) => one.with / one.without)),
    };
  });
}

async function cpuOfRequest({ url, child }: ServingNode): Promise<number> {
  const before = cpuOf(child.pid ?? 0);
  const { requests } = await socketLoad(new URL(url), { method: "GET", path: "/plain", headers: {} }, 32, 2);
  return (cpuOf(child.pid ?? 0) - before) / requests;
}

type Start = (how: "with a store" | "without a store") => Promise<ServingNode>;

/** A database that is dropped afterwards, and nodes that are ended. */
async function withNodes<Result>(server: string, work: (start: Start) => Promise<Result>): Promise<Result> {
  const name = `pipewright_figures_${process.pid}`;
  const admin = new pg.Client({ connectionString: server });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name}`);
  const database = new URL(server);
  database.pathname = `/${name}`;
  const folder = mkdtempSync(join(tmpdir(), "pipewright-figures-"));
  const module = await writePrinted(folder, "board", board);
  const nodes: ServingNode[] = [];
  const start: Start = async (how) => {
    const address = how === "with a store" ? database.href : "";
    const node = await startNode(`node-${nodes.length}`, { module, database: address, upstreamUrl: "" });
    nodes.push(node);
    return node;
  };
  try {
    return await work(start);
  } finally {
    for (const { child } of nodes) child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
    await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
    await admin.end();
  }
}
