/**
 * Stands in for the parts of pino that no service uses. A service writes its log itself and loses no line when it ends, so it needs no
 * transports (which write in threads or by streams of their own). It hides secrets before pino gets a record, so it needs no redaction. It
 * has one destination, its records are JSON, and it logs no requests of Node.
 */
export function transport(): never {
  throw new Error("the log of a service takes no transport");
}

/** A record that looks like a request of Node stays as it is. */
export const mapHttpRequest = <Record>(record: Record): Record => record;
export { mapHttpRequest as mapHttpResponse };

/** The writer that pino asks for when a value is not JSON: when it fails, pino writes in place of the value that it cannot be written. */
export const configure = (): typeof notJson => notJson;

function notJson(): never {
  throw new Error("the log of a service writes only JSON");
}
