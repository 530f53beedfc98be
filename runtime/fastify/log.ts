import type { FastifyBaseLogger } from "fastify";
import type { Log, LogLevel } from "../process/host.ts";

/** Writes our records to the log of an application; `critical` is `fatal` there. */
export const logTo =
  (logger: FastifyBaseLogger): Log =>
  (level, msg, fields = {}) =>
    logger[level === "critical" ? "fatal" : level](fields, msg);

const levels: readonly string[] = ["trace", "debug", "info", "warn", "error", "critical"] satisfies LogLevel[];

/** From which level on an application logs; undefined for one that does not, or that has levels of its own. */
export function levelOf({ level }: FastifyBaseLogger): LogLevel | undefined {
  const name = level === "fatal" ? "critical" : level;
  return levels.includes(name) ? (name as LogLevel) : undefined; // looked up in the list of them
}
