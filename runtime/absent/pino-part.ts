/**
 * Stands in for parts of pino that no service has a use for: transports, which write logs in threads or by streams of their own, since it
 * writes its log itself and loses no line when it ends; redaction, since secrets are hidden before pino gets a record; more than one
 * destination; a writer of what is no JSON, since records are JSON; and what turns requests of Node into records.
 */
export function transport(): never {
  throw new Error("the log of a service takes no transport");
}

/** A record that looks like a request of Node stays as it is. */
export const mapHttpRequest = <Record>(record: Record): Record => record;
export { mapHttpRequest as mapHttpResponse };

/** The writer that pino asks for when a value is no JSON: pino then says in its place that the value cannot be written. */
export const configure = (): typeof notJson => notJson;

function notJson(): never {
  throw new Error("the log of a service writes only JSON");
}
