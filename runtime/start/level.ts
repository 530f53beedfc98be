import type { LogLevel } from "../host.ts";
import type { Json } from "../json.ts";

/** The level of a line that was read at the start: `info` by default, and `warning` is another word for `warn`. */
export const logLevel = (value: Json): LogLevel => (value === "warning" ? "warn" : ((value ?? "info") as LogLevel)); // one of the words, by its form
