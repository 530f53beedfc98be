/** Stands in for the transports of pino, which write logs in threads: a service writes its log itself, so that no line is lost when it ends. */
export function transport(): never {
  throw new Error("the log of a service takes no transport");
}
