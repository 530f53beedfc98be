import type { Host, LogLevel } from "../../process/host.ts";
import type { Json, JsonObject } from "../../value/json.ts";
import { messageOf } from "../../value/thrown.ts";
import type { Act } from "../run.ts";

/** A line of `pre_log`, `success_log` and so on. The message is a template, evaluated when it is written. */
export interface LogLine {
  readonly level: LogLevel;
  readonly msg: () => Json;
}

/**
 * Writes the lines of an action. Logs never change the outcome (spec/language 3.8): a template that fails gives a log record of its own.
 */
export function logs(act: Act, lines: readonly LogLine[]): void {
  const fields = act.place;
  for (const line of lines) writeLine(act.run.host, line, fields);
}

/** Writes a line of an action or of a run; `fields` name that action or run. */
export function writeLine(host: Host, { level, msg }: LogLine, fields: JsonObject): void {
  try {
    const message = msg();
    if (typeof message === "string") host.log(level, message, fields);
    else host.log(level, JSON.stringify(message), { ...fields, data: message });
  } catch (error) {
    host.log("warn", `log message failed: ${messageOf(error)}`, fields);
  }
}
