import type { ServerResponse } from "node:http";
import { createHost, type Host } from "#runtime/process/host.ts";
import { channelsOf } from "#runtime/realtime/channels.ts";
import { LiveRun } from "#runtime/run/live-run.ts";
import type { Run } from "#runtime/run/run.ts";
import type { JsonObject } from "#runtime/value/json.ts";
import { compiled } from "../../harness/captured.ts";
import { emptyRequest } from "../../harness/run-once.ts";
import { type Stub, stub, textIn } from "../../harness/sockets.ts";
import { endAll } from "../triggers/mqtt/mqtt-serving.ts";

/** The type of a stream of events. */
export const type = { "content-type": "text/event-stream" };

/** Events with these data. */
export const data = (...deltas: readonly unknown[]): string => deltas.map((delta) => `data: ${JSON.stringify(delta)}\n\n`).join("");

/** Events with these pieces of text. */
export const texts = (...deltas: readonly string[]): string => data(...deltas.map((text) => ({ text })));

/** A configuration whose upstream the test plays. */
export const config = (stream: string, action = "", http = ""): string => `
name: chat
interfaces:
  ask:
    method: POST
    stream: { from: Ask, ${stream} }
    actions:
      - { name: Ask, http: { url: "a|env::UPSTREAM|", stream: true${http} }${action} }
`;

/** A wait of the host that a test ends. */
interface Wait {
  readonly ms: number;
  readonly elapse: () => void;
}

/** A run whose upstream and whose clock the test plays. */
export interface Scene {
  readonly host: Host;
  readonly run: Run;
  /** The responses that the upstream has begun. */
  readonly upstream: readonly ServerResponse[];
  readonly heard: JsonObject[];
  readonly waits: readonly Wait[];
  readonly log: readonly string[];
}

/** Ends that come after the test. */
export const ending: (() => Promise<void>)[] = [];

/** Ends what a test has begun. */
export async function endScenes(): Promise<void> {
  for (const end of ending.splice(0)) await end();
  await endAll();
}

/** Resolves when this holds; the event loop turns meanwhile. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

/** Begins a run of the interface `ask` whose upstream the test plays. */
export async function scene(
  text: string,
  interpret = false,
  env: Readonly<Record<string, string>> = {},
  body: JsonObject = {},
): Promise<Scene> {
  const upstream: ServerResponse[] = [];
  const { url, close }: Stub = await stub((response) => void upstream.push(response));
  const log: string[] = [];
  const real = createHost({ env: { UPSTREAM: url, ...env }, log: (level, msg) => void log.push(`${level} ${msg}`) });
  const open = new Set<Wait>();
  const host: Host = {
    ...real,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const wait: Wait = { ms, elapse: () => end(resolve) };
        const end = (settle: () => void): void => {
          open.delete(wait);
          settle();
        };
        open.add(wait);
        signal.addEventListener("abort", () => end(() => reject(new Error("not needed any more"))));
      }),
  };
  ending.push(async () => {
    await host.close();
    await close();
  });
  const heard: JsonObject[] = [];
  const listener = { push: (frame: Buffer) => void heard.push(JSON.parse(textIn(frame))) };
  channelsOf(host).subscribe(listener, "#");
  const { interfaces, ...rest } = await compiled(text, { interpret });
  const target = interfaces.find(({ name }) => name === "ask");
  if (target === undefined) throw new Error("no interface");
  const run = new LiveRun(host, { ...rest, interfaces }, target, { ...emptyRequest, id: "run-1", body });
  run.start();
  return {
    host,
    run,
    upstream,
    heard,
    log,
    get waits() {
      return [...open];
    },
  };
}
