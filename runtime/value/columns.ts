import type { Json, JsonObject } from "./json.ts";

const columnsOf = new WeakMap<readonly Json[], readonly string[]>();

/** Notes that each row has exactly these members, in this order. Data never change, so the note stays true. */
export function withColumns<Rows extends Json[]>(rows: Rows, columns: readonly string[]): Rows {
  if (rows.length > 0) columnsOf.set(rows, columns);
  return rows;
}

/** Passes the note of some rows on to a part of them. */
export function partOf(rows: readonly Json[], part: Json[]): Json[] {
  const columns = columnsOf.get(rows);
  return columns === undefined ? part : withColumns(part, columns);
}

/** True when `withColumns` has noted exactly these columns for the data. */
export function haveColumns<Column extends string>(
  data: Json,
  columns: readonly Column[],
): data is (JsonObject & Readonly<Record<Column, Json>>)[] {
  const names = Array.isArray(data) ? columnsOf.get(data) : undefined;
  return names !== undefined && names.length === columns.length && columns.every((column, i) => column === names[i]);
}
