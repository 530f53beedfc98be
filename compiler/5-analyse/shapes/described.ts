import type { Shape } from "#runtime/shapes/shape.ts";
import type { Report } from "../../diagnostics/diagnostic.ts";

/** The queries of a project as the servers of its databases describe them, for `check --database`. */
export interface DescribedQueries {
  /** The rows of a query; undefined when its server was not asked, or did not describe the columns. */
  readonly rowsOf: (file: string, database: string, query: string) => Shape | undefined;
  /** Reports the queries that a server refuses, and the servers that gave no answer. */
  readonly tell: (report: Report, sourceOf: (file: string) => string) => void;
}
