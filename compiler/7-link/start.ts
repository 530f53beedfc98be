import { execFile } from "node:child_process";
import { basename, dirname } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** The milliseconds that an executable takes to load all its code, or the reason why it does not start on this machine. */
export type Start = { readonly file: string; readonly ms: number } | { readonly file: string; readonly reason: string };

/** Milliseconds after which an executable without an answer counts as not starting. */
const longestMs = 30_000;

/**
 * Starts a newly built executable, which prints its version and ends: it opens no port and reads no environment. The second of two starts
 * is measured, since the first start reads the file from the disk.
 */
export async function startOf(path: string): Promise<Start> {
  const file = basename(path);
  try {
    await versionOf(path);
    const began = performance.now();
    await versionOf(path);
    return { file, ms: Math.round(performance.now() - began) };
  } catch (error) {
    const { code, stderr = "", message } = error as { code?: unknown; stderr?: string; message: string }; // execFile adds them
    return { file, reason: stderr.trim().split("\n")[0] || (typeof code === "string" ? code : message) };
  }
}

const versionOf = (path: string) => run(path, ["--version"], { cwd: dirname(path), env: {}, timeout: longestMs });
