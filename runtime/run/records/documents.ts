import type { DocumentSource } from "../../features/actions/document_operation.ts";
import type { RecordTo } from "../interface.ts";
import { keep, limits, recordsName } from "./keep.ts";

/** Records of runs as documents of the collection `pipewright_log` (spec/language 7.9), with the moment at which they were written. */
export const run_documents =
  (source: DocumentSource): RecordTo =>
  (run, record) => {
    const logged_at = { $date: new Date(run.host.now()).toISOString() };
    const nothing = { database: undefined, filter: {}, pipeline: [], update: {}, options: {} };
    keep(run, source, (connection) =>
      connection.perform({ ...nothing, collection: recordsName, operation: "insertOne", insert: [{ ...record, logged_at }] }, limits),
    );
  };
