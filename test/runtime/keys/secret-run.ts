import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHost, type Host, type HostOptions } from "#runtime/process/host.ts";
import { LiveRun } from "#runtime/run/live-run.ts";
import type { Run } from "#runtime/run/run.ts";
import { configOf, type Stub, stub } from "../../harness/sockets.ts";

/** A value that must be seen nowhere. */
export const canary = "canary-8b1f77";

/** The folder of the running test. */
export let folder = "";

const stubs: Stub[] = [];

/** Makes the folder of a test. */
export function newFolder(): void {
  folder = mkdtempSync(join(tmpdir(), "pipewright-secrets-"));
}

/** Removes it, and closes the services of a test. */
export async function cleanUp(): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  await Promise.all(stubs.splice(0).map((each) => each.close()));
}

/** A service that is closed after the test. */
export async function answering(...args: Parameters<typeof stub>): Promise<Stub> {
  const made = await stub(...args);
  stubs.push(made);
  return made;
}

const target = { name: "t", output: "none", run: () => undefined } as const;

/** A run on a host. */
export function runOn(host: Host): Run {
  const input = { id: "id", trigger: "cli", method: null, path: null, body: null, raw_body: null, params: {}, headers: {}, ip: {} };
  return new LiveRun(host, configOf(target), target, input);
}

/** A run on a host of its own. */
export const run = (options: HostOptions = {}): Run => runOn(createHost({ env: {}, ...options }));
