import { readFileSync, writeSync } from "node:fs";
import { defaultLimits } from "#runtime/process/host.ts";
import { serveUntilSignal } from "#runtime/process/until-signal.ts";
import { evaluate } from "../../harness/evaluate.ts";

// Runs in a process of its own: serves a printed module until a signal comes, and prints its log, a record a line.

const [, , file = "", database = "", upstream = "", address = "127.0.0.1"] = process.argv;
const config = await evaluate(readFileSync(file, "utf8"));
process.exitCode = await serveUntilSignal([config], {
  address,
  port: 0,
  noticeMs: 0,
  // The bound is that of all nodes together.
  limits: { ...defaultLimits, maxDetachedRuns: 300 },
  env: { PIPEWRIGHT_DATABASE_URL: database, UPSTREAM: upstream, PIPEWRIGHT_RUNS_KEY: process.env.RUNS_KEY },
  log: (level, msg, fields = {}) => writeSync(1, `${JSON.stringify({ level, msg, ...fields })}\n`),
});
