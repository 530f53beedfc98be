/**
 * Stands in for parts of pino that a service has no use for: transports, which write logs in threads, since it writes its log itself and
 * loses no line when it ends; redaction, since secrets are hidden before pino gets a record; several destinations, since it has one.
 */
export function transport(): never {
  throw new Error("the log of a service takes no transport");
}
