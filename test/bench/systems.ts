import { writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundle } from "../../compiler/7-link/bundle.ts";
import { renderFrames } from "../../compiler/diagnostics/frame.ts";
import { type Planned, planTexts, printAll } from "../../compiler/pipeline.ts";
import type { Command } from "./server.ts";
import { key } from "./workloads.ts";

/**
 * The systems that are compared: the bundle of service.yaml as `build` links it, the same behind a policy of 1,000 ranges with a limit of
 * requests and with failed runs recorded, the same interpreted, and two servers written by hand.
 */
export const systemNames = ["pipewright", "guarded", "interpreted", "fastify", "node:http"] as const;
export type SystemName = (typeof systemNames)[number];

const beside = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** The systems that sockets are open to: sockets.yaml compiled and interpreted, and a server that is written by hand with `ws`. */
export const socketSystemNames = ["pipewright", "interpreted", "ws"] as const;
export type SocketSystemName = (typeof socketSystemNames)[number];

/** A config of this folder after phases 1 to 5; `change` edits its text. */
export async function planService(change: (text: string) => string = (text) => text, name = "service.yaml"): Promise<Planned> {
  const planned = planTexts([{ file: name, text: change(await readFile(beside(name), "utf8")) }]);
  if (planned.failed) throw new Error(renderFrames(planned.diagnostics, planned.sources, { color: false }));
  return planned;
}

/** Addresses of what the systems use. */
export interface Surroundings {
  readonly database: string;
  readonly upstream: string;
}

/** The stub that the workloads with HTTP calls ask. */
export const upstreamCommand: Command = { program: process.execPath, args: [beside("upstream.ts")], env: {} };

/** The commands that start the systems. Bundles are written to `folder`. */
export async function systemCommands(folder: string, { database, upstream }: Surroundings): Promise<Readonly<Record<SystemName, Command>>> {
  const planned = await planService();
  const guarded = await planService((text) => `${recorded(text)}network: ${JSON.stringify(policy)}\n`);
  const env = { BENCH_DATABASE: database, BENCH_UPSTREAM: upstream, BENCH_KEY: key };
  const linked = async (name: string, service: Planned, interpret = false): Promise<Command> =>
    node(await linkedTo(folder, name, service, interpret), env, ...serving);
  return {
    pipewright: await linked("compiled", planned),
    guarded: await linked("guarded", guarded),
    interpreted: await linked("interpreted", planned, true),
    fastify: node(beside("reference/fastify.ts"), env),
    "node:http": node(beside("reference/node-http.ts"), env),
  };
}

/** The commands that start the systems of sockets. Bundles are written to `folder`. */
export async function socketCommands(folder: string): Promise<Readonly<Record<SocketSystemName, Command>>> {
  const planned = await planService(undefined, "sockets.yaml");
  const env = { PIPEWRIGHT_WS_MAX_CONNECTIONS: "20000" };
  return {
    pipewright: node(await linkedTo(folder, "sockets", planned, false), env, ...serving),
    interpreted: node(await linkedTo(folder, "sockets-interpreted", planned, true), env, ...serving),
    ws: node(beside("reference/ws.ts"), env),
  };
}

/** A program of Node, which this process runs with. */
export const node = (file: string, env: Command["env"], ...args: readonly string[]): Command => ({
  program: process.execPath,
  args: [file, ...args],
  env,
});

/** Writes the bundle of a service, and gives its file. */
export async function linkedTo(folder: string, name: string, service: Planned, interpret: boolean): Promise<string> {
  const { code } = await bundle(await printAll(service, { interpret }), { environment: "bench", format: "cjs" });
  const file = join(folder, `${name}.cjs`);
  writeFileSync(file, code);
  return file;
}

/** A policy that admits every caller, and has to look each one up. */
const policy = {
  source: "socket",
  ip: { deny: Array.from({ length: 1_000 }, (_, i) => `198.${18 + (i >> 8)}.${i & 255}.0/25`) },
  rate_limit: { requests: 1_000_000_000, window: "1m" },
};

/** The configuration with recorded failures: every interface records its failed runs, of which there are none here. */
const recorded = (text: string): string => text.replace(/^ {4}output: http$/gm, "$&\n    capture: errors");

/** Flags of a pipewright executable: this machine only, and any free port. */
export const serving = ["--address", "127.0.0.1", "--port", "0"] as const;
