import type { Shape } from "#runtime/shapes/shape.ts";
import type { Statement } from "../5-analyse/shapes/statement.ts";

/** A column of the rows of a query. */
export interface Column {
  readonly name: string;
  readonly shape: Shape;
}

/** The reason why a server refuses a query: an unknown name, or its message. */
export interface QueryRefusal {
  readonly message: string;
  readonly missing?: { readonly kind: "table" | "column"; readonly name: string };
}

/** The columns of a query, or its refusal. The columns are empty when the server does not describe them. */
export type Description = { readonly columns: readonly Column[] } | { readonly refusal: QueryRefusal };

/** A connection that describes queries. It never runs them, and sends no values. Errors of the connection are thrown. */
export interface Server {
  readonly describe: (statement: Statement) => Promise<Description>;
  /** The names of the tables, and below it of the columns of some tables, to correct a misspelt name. */
  readonly tables: () => Promise<readonly string[]>;
  readonly columns: (tables: readonly string[]) => Promise<readonly string[]>;
  /** Breaks the connection. */
  readonly close: () => void;
}

/** The most names that are compared with a misspelt one. */
export const mostNames = 2_000;

/** Milliseconds that a server may take to connect, and for one statement. */
export const patience = 5_000;
