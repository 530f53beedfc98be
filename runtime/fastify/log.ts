import type { FastifyBaseLogger } from "fastify";
import type { Log, LogLevel } from "../process/host.ts";

/** Writes records to the log of an application; the level `critical` is `fatal` there. */
export const logTo =
  (logger: FastifyBaseLogger): Log =>
  (level, msg, fields = {}) =>
    logger[level === "critical" ? "fatal" : level](fields, msg);

const levels: readonly string[] = ["trace", "debug", "info", "warn", "error", "critical"] satisfies LogLevel[];

/** The lowest level that an application logs; undefined for one that does not log, or that has levels of its own. */
export function levelOf({ level }: FastifyBaseLogger): LogLevel | undefined {
  const name = level === "fatal" ? "critical" : level;
  return levels.includes(name) ? (name as LogLevel) : undefined; // the list includes this name
}
