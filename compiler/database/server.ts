import type { Shape } from "#runtime/shapes/shape.ts";
import type { Statement } from "../5-analyse/shapes/statement.ts";

/** A column of the rows of a query. */
export interface Column {
  readonly name: string;
  readonly shape: Shape;
}

/** The reason why a server does not take a query: a name that it does not know, or its own words. */
export interface QueryRefusal {
  readonly message: string;
  readonly missing?: { readonly kind: "table" | "column"; readonly name: string };
}

/** The columns of a query, none where the server says nothing of them; or its refusal. */
export type Description = { readonly columns: readonly Column[] } | { readonly refusal: QueryRefusal };

/** A connection that describes queries. It never runs them, and sends no values. Errors of the connection are thrown. */
export interface Server {
  readonly describe: (statement: Statement) => Promise<Description>;
  /** Names of the tables, or of the columns of some tables, for a better spelling. */
  readonly tables: () => Promise<readonly string[]>;
  readonly columns: (tables: readonly string[]) => Promise<readonly string[]>;
  /** Breaks the connection off. */
  readonly close: () => void;
}

/** Most names that are compared with a misspelt one. */
export const mostNames = 2_000;

/** Milliseconds that a server may take to connect, and for one statement. */
export const patience = 5_000;
