import { Failure } from "../value/failure.ts";
import type { Json } from "../value/json.ts";

// How a hole in SQL text is filled where no parameter can stand: a value becomes one literal and can never leave it.
// `style` is the dialect of the database, followed by how the place is written where that matters: `postgres list`, `postgres escape`,
// `mysql double`, `sqlite backtick`, `mssql bracket`.

/**
 * A literal of the value's own type, a text always quoted, where SQL expects a value. In a `list` style an array becomes its elements,
 * separated by commas; an empty one `NULL`.
 */
export function sql_value(value: Json, style: string): string {
  const [dialect = "", form] = style.split(" ");
  if (form !== "list" || !Array.isArray(value)) return literal(value, dialect);
  return value.length === 0 ? "NULL" : value.map((item) => literal(item, dialect)).join(", ");
}

/**
 * The text of a value inside `'...'`, or in the `double` style inside `"..."`. A backslash escapes in MySQL and in the `escape` style,
 * PostgreSQL's `E'...'`. In SQL Server a backslash joins lines by removing the line break behind it, so there it is written twice.
 */
export function sql_string(value: Json, style: string): string {
  const [dialect, form] = style.split(" ");
  const quoted = form === "double" ? text(value).replaceAll('"', '""') : text(value).replaceAll("'", "''");
  if (dialect === "mssql") return quoted.replace(/\\(\r?\n)/g, "\\\\$1$1");
  return dialect === "mysql" || form === "escape" ? quoted.replaceAll("\\", "\\\\") : quoted;
}

/** The text of a value inside a quoted name: `"..."`, in the `backtick` style backticks, in the `bracket` style `[...]`. */
export function sql_identifier(value: Json, style: string): string {
  if (style.endsWith(" backtick")) return text(value).replaceAll("`", "``");
  return style.endsWith(" bracket") ? text(value).replaceAll("]", "]]") : text(value).replaceAll('"', '""');
}

function literal(value: Json, dialect: string): string {
  if (value === null) return "NULL";
  if (typeof value === "boolean") return dialect === "sqlite" || dialect === "mssql" ? String(Number(value)) : String(value).toUpperCase();
  // In brackets, because a cast or operator after it would bind to the digits alone: `-5::text` is no number.
  if (typeof value === "number") return value < 0 ? `(${value})` : String(value);
  // Without the N SQL Server would turn the text into the code page of the database.
  return `${dialect === "mssql" ? "N" : ""}'${sql_string(value, dialect)}'`;
}

/**
 * The text of a value, as in any text: null is empty, objects and arrays are compact JSON. A NUL is refused: it would end the statement in
 * databases that read C strings.
 */
function text(value: Json): string {
  const plain = typeof value === "string" ? value : value === null ? "" : JSON.stringify(value);
  if (plain.includes("\0")) throw new Failure("database", "database: a value in the query holds a NUL character");
  return plain;
}
