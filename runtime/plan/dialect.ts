/** How the text of a query is read: a dialect of SQL. */
export type Dialect = "postgres" | "mysql" | "mssql" | "sqlite";
