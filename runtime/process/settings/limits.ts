import { defaultLimits, type Limits } from "../host.ts";
import type { Environment } from "./environment.ts";
import type { Variable } from "./variables.ts";

/** The limits of the process, as the environment sets them; a value that is no whole number is listed in `unmet`. */
export function limitsOf(env: Environment, unmet: string[]): Limits {
  const whole = (name: Variable, otherwise: number, unit = 1): number => {
    const text = env[name] ?? "";
    if (/^\d{1,12}$/.test(text)) return Number(text) * unit;
    if (text !== "") unmet.push(`${name} must be a whole number, not '${text}'`);
    return otherwise;
  };
  return {
    ...defaultLimits,
    maxBodyBytes: whole("PIPEWRIGHT_MAX_BODY_BYTES", defaultLimits.maxBodyBytes),
    maxBodiesBytes: whole("PIPEWRIGHT_MAX_BODIES_BYTES", defaultLimits.maxBodiesBytes),
    maxCompressBytes: whole("PIPEWRIGHT_MAX_COMPRESS_BYTES", defaultLimits.maxCompressBytes),
    maxDocumentBytes: whole("PIPEWRIGHT_MAX_DOCUMENT_BYTES", defaultLimits.maxDocumentBytes),
    maxStateBytes: whole("PIPEWRIGHT_STATE_MAX_BYTES", defaultLimits.maxStateBytes),
    runTimeoutMs: whole("PIPEWRIGHT_RUN_TIMEOUT_MS", defaultLimits.runTimeoutMs),
    maxDelayMs: whole("PIPEWRIGHT_MAX_DELAY_SECS", defaultLimits.maxDelayMs, 1_000),
    runsKeptMs: whole("PIPEWRIGHT_RUNS_KEPT_HOURS", defaultLimits.runsKeptMs, 3_600_000),
    maxParts: whole("PIPEWRIGHT_MAX_PARTS", defaultLimits.maxParts),
    maxDetachedRuns: whole("PIPEWRIGHT_MAX_DETACHED_RUNS", defaultLimits.maxDetachedRuns),
    shutdownGraceMs: whole("PIPEWRIGHT_SHUTDOWN_GRACE_MS", defaultLimits.shutdownGraceMs),
  };
}
