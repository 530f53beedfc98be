import { execFile, execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Load, Shot } from "./load.ts";

const run = promisify(execFile);

/** True when a program is on the path. */
export function hasProgram(name: string, ...args: readonly string[]): boolean {
  try {
    execFileSync(name, args, { stdio: "ignore" });
    return true;
  } catch (error) {
    // wrk ends with 1 after printing its version: it is there all the same.
    return (error as NodeJS.ErrnoException).code !== "ENOENT";
  }
}

/**
 * Load by wrk, which leaves more of its processor to the servers under test. Its script is written to `folder`. With a pause, in
 * milliseconds, a connection waits before each request: any time up to twice as long, so that requests come at all moments.
 */
export const wrkLoad =
  (folder: string, pause = 0): Load =>
  async (url, shot, connections, seconds) => {
    const script = join(folder, "wrk.lua");
    const whole = Math.ceil(seconds);
    writeFileSync(script, luaOf(shot, whole - quiet, pause));
    const args = ["-t1", `-c${connections}`, `-d${whole}s`, "--timeout", "10s", "-s", script, new URL(shot.path, url).href];
    const { stdout } = await run("wrk", args);
    const [, requests, p50, p99, bad] = (/^RESULT (\d+) (\d+) (\d+) (\d+)$/m.exec(stdout) ?? []).map(Number);
    if (requests === undefined || p50 === undefined || p99 === undefined) throw new Error(`wrk said: ${stdout}`);
    if (bad !== 0) throw new Error(`${bad} of ${requests} requests failed`);
    return { requests, seconds: whole - quiet, p50: p50 / 1000, p99: p99 / 1000 };
  };

/**
 * Seconds without new requests before wrk cuts its connections. Without the pause a server that cancels runs of gone callers would pay for
 * that.
 */
const quiet = 0.3;

/** wrk asks `delay` for milliseconds before each request, and calls `done` with its counts, latencies in microseconds. */
function luaOf({ method, headers, body }: Shot, seconds: number, pause: number): string {
  // Blanks, because two brackets open a text, which three would begin with one.
  const lines = Object.entries(headers).map(([name, value]) => `wrk.headers[ ${lua(name)} ] = ${lua(value)}`);
  return [
    `wrk.method = ${lua(method)}`,
    ...lines,
    ...(body === undefined ? [] : [`wrk.body = ${lua(body)}`]),
    'local ffi = require("ffi")',
    'ffi.cdef("typedef struct { long s, ns; } moment; int clock_gettime(int, moment *);")',
    'local at = ffi.new("moment")',
    "local function now()",
    "  ffi.C.clock_gettime(1, at)",
    "  return tonumber(at.s) + tonumber(at.ns) / 1e9",
    "end",
    `local last = now() + ${seconds}`,
    `delay = function() return now() < last and math.random(0, ${Math.round(2 * pause)}) or 60000 end`,
    "done = function(summary, latency, requests)",
    "  local e = summary.errors",
    "  local bad = e.connect + e.read + e.write + e.status + e.timeout",
    '  print(string.format("RESULT %d %d %d %d", summary.requests, latency:percentile(50), latency:percentile(99), bad))',
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
