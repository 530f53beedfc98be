import type { DocumentSource } from "../../features/actions/document_operation.ts";
import { touches } from "../../outgoing/touches.ts";
import type { RecordTo } from "../interface.ts";
import { keep, limits, recordsName } from "./keep.ts";

/** Records of runs as documents of the collection `pipewright_log` (spec/language 7.9), with the moment at which they were written. */
export const run_documents =
  (source: DocumentSource): RecordTo =>
  (run, record) => {
    const logged_at = { $date: new Date(run.host.now()).toISOString() };
    const nothing = { database: undefined, filter: {}, pipeline: [], update: {}, options: {} };
    keep(run, source, (connection) => {
      touches(run, { kind: "tables", name: recordsName, of: source.name, verb: "insert" });
      return connection.perform(
        { ...nothing, collection: recordsName, operation: "insertOne", insert: [{ ...record, logged_at }] },
        limits,
      );
    });
  };
