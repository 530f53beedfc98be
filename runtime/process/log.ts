import { destination, pino, stdTimeFunctions } from "pino";
import { visible } from "../value/visible.ts";
import type { Log, LogLevel } from "./host.ts";

/** Where records go and from which level on. */
export interface LogOptions {
  /** 1 is stdout, 2 is stderr. */
  readonly fd?: 1 | 2;
  readonly level?: LogLevel;
  /** Number of the worker that writes, where there are several. */
  readonly worker?: number | undefined;
}

/**
 * One JSON record a line, written before the call returns, so that nothing is lost when the process ends. Characters that
 * could deceive a reader of a terminal (bidirectional controls, zero width) are escaped.
 */
export function createLog({ fd = 1, level = "info", worker }: LogOptions = {}): Log {
  const logger = pino(
    {
      level,
      base: worker === undefined ? null : { worker },
      customLevels: { critical: 60 },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      hooks: { streamWrite: visible },
    },
    destination({ fd, sync: true }),
  );
  return (at, msg, fields) => logger[at](fields ?? {}, msg);
}
