import type { Host } from "../../process/host.ts";
import type { Rules } from "./rules.ts";

/** The most records in a window of milliseconds, so that a client that connects again and again does not fill the log. */
const most = { records: 10, ms: 10_000 } as const;

/** Writes records for the operator, but a bounded number of them; the first record after a pause has the number of dropped ones. */
export function sparingly({ log, monotonic }: Pick<Host, "log" | "monotonic">): Rules["note"] {
  let since = Number.NEGATIVE_INFINITY;
  let records = 0;
  let omitted = 0;
  return (text, fields) => {
    const now = monotonic();
    if (now - since >= most.ms) {
      since = now;
      records = 0;
    }
    if (records >= most.records) {
      omitted += 1;
      return;
    }
    records += 1;
    log("warn", text, omitted === 0 ? fields : { ...fields, omitted });
    omitted = 0;
  };
}
