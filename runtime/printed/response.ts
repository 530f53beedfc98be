// The response of a run, and the records of it.

export {
  /** `capture`: records the runs of the interface. */
  captureRuns,
} from "../capture/capture.ts";
export {
  /** `response` with a template that waits. */
  asyncRespond,
} from "../run/end/async-response.ts";
export {
  /** `respond_after`: the early answer waits for these actions. */
  admitAfter,
} from "../run/end/respond-after.ts";
export {
  /** Writes records of runs to a database of documents. */
  run_documents,
} from "../run/records/documents.ts";
export {
  /** Writes records of runs to an SQL database. */
  run_rows,
} from "../run/records/rows.ts";
export {
  /** A body that is JSON text. */
  jsonBody,
  /** A body that is plain text. */
  textBody,
  /** A body that is one value: text as it is, everything else as JSON. */
  valueBody,
} from "../value/text-body.ts";
