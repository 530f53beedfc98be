import { execFile, execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Load, Shot } from "./load.ts";

const run = promisify(execFile);

/** Whether a program is on the path. */
export function hasProgram(name: string, ...args: readonly string[]): boolean {
  try {
    execFileSync(name, args, { stdio: "ignore" });
    return true;
  } catch (error) {
    // wrk ends with 1 after printing its version: it is there all the same.
    return (error as NodeJS.ErrnoException).code !== "ENOENT";
  }
}

/** Load by wrk, which leaves more of its processor to the servers under test. Its script is written to `folder`. */
export const wrkLoad =
  (folder: string): Load =>
  async (url, shot, connections, seconds) => {
    const script = join(folder, "wrk.lua");
    writeFileSync(script, luaOf(shot));
    const args = ["-t1", `-c${connections}`, `-d${Math.ceil(seconds)}s`, "-s", script, new URL(shot.path, url).href];
    const { stdout } = await run("wrk", args);
    const [, requests, micros, p50, p99, bad] = (/^RESULT (\d+) (\d+) (\d+) (\d+) (\d+)$/m.exec(stdout) ?? []).map(Number);
    if (requests === undefined || micros === undefined || p50 === undefined || p99 === undefined) throw new Error(`wrk said: ${stdout}`);
    if (bad !== 0) throw new Error(`${bad} of ${requests} requests failed`);
    return { requests, seconds: micros / 1e6, p50: p50 / 1000, p99: p99 / 1000 };
  };

/** wrk calls `done` with its counts, times in microseconds. */
function luaOf({ method, headers, body }: Shot): string {
  const lines = Object.entries(headers).map(([name, value]) => `wrk.headers[ ${lua(name)} ] = ${lua(value)}`);
  return [
    `wrk.method = ${lua(method)}`,
    ...lines,
    ...(body === undefined ? [] : [`wrk.body = ${lua(body)}`]),
    "done = function(summary, latency, requests)",
    "  local e = summary.errors",
    "  local bad = e.connect + e.read + e.write + e.status + e.timeout",
    '  print(string.format("RESULT %d %d %d %d %d", summary.requests, summary.duration, latency:percentile(50), latency:percentile(99), bad))',
    "end",
    "",
  ].join("\n");
}

/** A Lua string without escapes: in a bracket of more equals signs than the text has. */
function lua(text: string): string {
  let level = "";
  while (text.includes(`]${level}]`)) level += "=";
  return `[${level}[${text}]${level}]`;
}
