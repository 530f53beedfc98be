import type { LogLevel } from "../process/host.ts";
import type { Json } from "../value/json.ts";

/** The level of a line that was read at the start: `info` by default, and `warning` is another word for `warn`. */
export const logLevel = (value: Json): LogLevel => (value === "warning" ? "warn" : ((value ?? "info") as LogLevel)); // one of the words, by its form
