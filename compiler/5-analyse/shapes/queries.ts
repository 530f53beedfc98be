import type { Op } from "#runtime/plan/index.ts";
import { anyArray, type Shape } from "#runtime/shapes/shape.ts";
import { argumentsOf } from "./arguments.ts";
import { callShape } from "./records.ts";
import { rowsShape } from "./rows.ts";
import type { ShapeScope } from "./scope.ts";
import { statementOf } from "./statement.ts";

type Query = Extract<Op, { op: "query" }>;

/** The data of a query: always a list of rows (spec/language 5.4.2). */
export function queryShape({ use, args, database }: Query, scope: ShapeScope): Shape {
  const { shape } = argumentsOf(args, scope);
  if (use === "document_operation") return callShape(use, shape);
  const dialect = scope.speaks(database);
  if (dialect === undefined || dialect === "documents") return anyArray;
  return scope.described?.(database, statementOf(args, dialect)?.text ?? "") ?? rowsShape(args, dialect);
}
