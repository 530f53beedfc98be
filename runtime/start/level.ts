import type { LogLevel } from "../process/host.ts";
import type { Json } from "../value/json.ts";

/** Reads the level of a log line: `info` by default, and `warning` is another word for `warn`. */
export const logLevel = (value: Json): LogLevel => (value === "warning" ? "warn" : ((value ?? "info") as LogLevel)); // the form allows only these words
