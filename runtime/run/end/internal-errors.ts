import { isObject, type Json, own } from "../../value/json.ts";
import type { Act } from "../run.ts";

/** The text of a failure of `email` with rows, before the reason of its first row. */
const rows = /^email: \d+ of \d+ not sent; row \d+: /;

/** Error texts that `show_error_detail: false` replaces by `action failed`: exactly these (spec/language 7.2). */
export function isInternal(error: string): boolean {
  const reason = error.replace(rows, "");
  // choice: texts that reveal hosts, files or accounts of the operator, such as a failed connection of any action.
  if (
    /^(?:\w+(?: \w+)?:? connect failed: |an AWS file |aws: credential_process: |(?:discover|http connection lost|email: connection lost): |agent: (?!the answer |the service has |two tools )|sftp: the host )/.test(
      reason,
    )
  )
    return true;
  return /^(?:database: |address not allowed|manifest: |invalid url|unsafe path segment|unsafe part of a host|unsafe level of a |field |filter |interpolation |post_transforms\[|header )/.test(
    reason,
  );
}

/** The data of an action as an answer without details shows them: the reasons of rows are error texts, too. */
export function shownData({ data, error = "" }: Act): Json {
  if (!rows.test(error) || !isObject(data) || !Array.isArray(data.failed)) return data;
  return { ...data, failed: data.failed.map((row) => (isObject(row) && isHidden(row.error) ? { ...row, error: "action failed" } : row)) };
}

/** The reasons that `shownData` leaves out. */
export function hiddenReasons({ data, error = "" }: Act): readonly string[] {
  const failed = rows.test(error) && isObject(data) && Array.isArray(data.failed) ? data.failed : [];
  return failed.map((row) => (isObject(row) ? own(row, "error") : undefined)).filter(isHidden);
}

const isHidden = (reason: Json | undefined): reason is string => typeof reason === "string" && isInternal(reason);
