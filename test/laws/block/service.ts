import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";

/**
 * The longest permitted processor time without a pause, in units of a reference work that takes 28 ms on a quiet machine. The goal is 250
 * ms, which are 9 units. On a slow machine, caches and the garbage collector may double that. A busy machine adds more, so that each
 * measurement has six tries.
 */
const most = 18;

const file = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** A process of `serve` that measures how long its main thread works without a pause. */
export interface BlockService {
  readonly url: string;
  /** Runs `work` and fails when the main thread of the process worked without a pause for longer than the law permits. */
  readonly measured: (work: () => Promise<void>) => Promise<void>;
  readonly end: () => Promise<void>;
}

/** Serves a configuration with its state in a file of SQLite. */
export async function blockService(
  config: string,
  { env = {}, args = [] }: { readonly env?: Readonly<Record<string, string>>; readonly args?: readonly string[] } = {},
): Promise<BlockService> {
  const folder = mkdtempSync(join(tmpdir(), "pipewright-block-"));
  const probe = new URL("probe.mjs", import.meta.url).href;
  const command = [
    "--import",
    probe,
    file("../../../bin/pipewright.mjs"),
    "serve",
    config,
    "--address",
    "127.0.0.1",
    "--port",
    "0",
    ...args,
  ];
  const service = spawn(process.execPath, command, {
    env: { PATH: process.env.PATH, PIPEWRIGHT_STATE_DATABASE_URL: `sqlite:${join(folder, "state.db")}`, ...env },
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  const url = await urlOf(service);
  const ask = async (what: "reference" | "longest"): Promise<number> => {
    service.send(what);
    const [answer] = await once(service, "message");
    return answer;
  };
  return {
    url,
    measured: async (work) => {
      const unit = await ask("reference");
      await ask("longest");
      await work();
      expect((await ask("longest")) / unit).toBeLessThan(most);
    },
    end: async () => {
      const ended = once(service, "exit");
      service.kill("SIGKILL");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The address of the service, as soon as the process listens. */
const urlOf = (service: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    let out = "";
    service.once("exit", (code) => reject(new Error(`the service ended with ${code}: ${out}`)));
    service.stdout?.on("data", (chunk: Buffer) => {
      out = `${out}${chunk}`.slice(0, 65_536);
      const address = /"url":"(http:[^"]+)"[^\n]*"msg":"listening"/.exec(out)?.[1];
      if (address !== undefined) resolve(address);
    });
  });

/** Repeats a part as often as it fits into this number of characters, and puts brackets around. */
export function filled(
  bytes: number,
  part: string | ((i: number) => string),
  [open, close]: readonly [string, string] = ["[", "]"],
  between = ",",
): string {
  const parts: string[] = [];
  for (let length = 2, i = 0; ; i++) {
    const next = typeof part === "string" ? part : part(i);
    length += next.length + between.length;
    if (length > bytes) return `${open}${parts.join(between)}${close}`;
    parts.push(next);
  }
}
