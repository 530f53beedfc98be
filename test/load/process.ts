import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** A service under load, in a process of its own. */
export interface Process {
  readonly url: string;
  readonly child: ChildProcess;
  /** The most memory it has had, in MiB; NaN where the system does not tell. */
  readonly peak: () => number;
  /** Seconds for which its main thread has had a processor, and for which it has waited for one. */
  readonly processor: () => { readonly had: number; readonly waited: number };
  readonly ended: Promise<number | null>;
}

const file = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** Serves `service.yaml` with these flags. Records of its log are not shown. */
export async function startService(flags: readonly string[] = []): Promise<Process> {
  const args = [file("../../bin/pipewright.mjs"), "serve", file("service.yaml"), "--address", "127.0.0.1", "--port", "0", ...flags];
  const child = spawn(process.execPath, args, { env: { PATH: process.env.PATH }, stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise<number | null>((resolve) => child.on("exit", resolve));
  const url = await new Promise<string>((resolve, reject) => {
    let out = "";
    child.stdout.on("data", (chunk: Buffer) => {
      out = `${out}${chunk}`.slice(0, 65_536);
      const found = /"url":"(http:[^"]+)"[^\n]*"msg":"listening"/.exec(out)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.on("exit", (code) => reject(new Error(`the service ended with ${code}`)));
  });
  return { url, child, ended, peak: () => peakOf(child.pid ?? 0), processor: () => processorOf(child.pid ?? 0) };
}

function processorOf(pid: number): ReturnType<Process["processor"]> {
  try {
    const [had = Number.NaN, waited = Number.NaN] = readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ").map(Number);
    return { had: Math.round(had / 1e8) / 10, waited: Math.round(waited / 1e8) / 10 };
  } catch {
    return { had: Number.NaN, waited: Number.NaN };
  }
}

function peakOf(pid: number): number {
  try {
    const [, kib = "NaN"] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return Math.round(Number(kib) / 1024);
  } catch {
    return Number.NaN;
  }
}
