import {
  documentBytes,
  documentEncoding,
  documentEncodings,
  documentKey,
  documentMemory,
  documentTime,
  documentValue,
  growth,
} from "../../formats/document.ts";
import { type KeyPath, keyPath, write } from "../../paths/path.ts";
import { isRoot, type Source, type SourceArgument, source } from "../../paths/source.ts";
import type { Act } from "../../run/run.ts";
import { argument, keyedFrom, ofText, onlyValue } from "../../shapes/arguments.ts";
import { any, array, boolean, nothing, number, object, type Shape, string, union } from "../../shapes/shape.ts";
import { code } from "../../threads/kinds/workbook.code.ts";
import type { WorkbookRequest } from "../../threads/kinds/workbook.ts";
import { inWorker, type WorkerKind } from "../../threads/worker.ts";
import { Reject } from "../../value/failure.ts";
import type { Json } from "../../value/json.ts";
import { oneOf } from "../../value/one-of.ts";
import type { ShapedArguments, Transform } from "../feature.ts";

interface Args {
  readonly value: SourceArgument;
  readonly key: string | null;
  readonly sheet?: string | null;
  readonly headers?: boolean | null;
  readonly limit?: number | null;
  readonly encoding?: string | null;
}

interface Ready {
  readonly value: Source;
  readonly key: KeyPath;
  /** The first one when null. */
  readonly sheet: string | null;
  readonly headers: boolean;
  readonly limit: number;
}

const workbook: WorkerKind<WorkbookRequest, string> = { name: "workbook", code, ...documentMemory, buffers: 512 };

const defaultLimit = 10_000;

/** Stage 1: a limit that is no count is PW512. */
export function prepare({ value, key, sheet, headers, limit, encoding }: Args): Ready {
  oneOf("encoding", encoding, documentEncodings, "base64");
  const rows = limit ?? defaultLimit;
  if (rows < 0) throw new Reject("PW512", `limit ${rows} is negative`);
  return { value: source(value), key: keyPath(key), sheet: sheet ?? null, headers: headers ?? true, limit: rows };
}

/**
 * Writes the rows of a sheet (.xlsx, .xls or .ods) under the key; the source stays. The first row names the members (`column_3` where it is
 * empty), unless `headers` is false: then every row is a list. Text, numbers and booleans are as they are, dates are serial numbers,
 * formulas their last value, errors and missing cells null. Empty rows are left out, and so is what is beyond `limit`. It is read in a
 * thread with bounds of time and memory.
 */
export async function parse_xlsx(data: Json, { value, key, sheet, headers, limit }: Ready, act: Act): Promise<Json> {
  const { host } = act.run;
  const bytes = documentBytes(data, value, host);
  const request = { bytes, sheet, headers, limit, unpacked: growth * host.limits.maxDocumentBytes };
  const rows: Json = JSON.parse(await inWorker(host, workbook, request, { signal: act.signal, limit: documentTime }));
  return write(data, key, rows, isRoot(value));
}

function shape(data: Shape, { shape: args }: ShapedArguments<Args>): Shape {
  const cell = union(string, number, boolean, nothing);
  const headers = onlyValue(argument(args, "headers"));
  const row = headers === undefined ? any : headers === false ? array(cell) : object({}, cell);
  return keyedFrom(data, args, "value", ofText(array(row)));
}

export const spec: Transform<Args, Ready> = {
  summary: "Read the rows of a spreadsheet.",
  schema: {
    type: "object",
    required: ["value", "key"],
    additionalProperties: false,
    properties: {
      value: documentValue,
      key: documentKey,
      sheet: { type: "string", description: "Name of the sheet; hidden ones count. Default: the first one." },
      headers: { type: "boolean", default: true, description: "Whether the first row names the members; otherwise rows are lists." },
      limit: { type: "integer", default: defaultLimit, description: "Rows of data at most; those beyond are left out." },
      encoding: documentEncoding,
    },
  },
  bounds: "`max_document_bytes`, 16 times that unpacked, 1,000 parts, 1,000,000 cells; 256 MiB, 512 MiB of buffers and 10 s in the thread",
  // The limit is that of the process.
  effect: "limits",
  async: true,
  prepare,
  run: parse_xlsx,
  shape,
};
