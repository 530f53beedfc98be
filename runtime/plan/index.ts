// A plan is one configuration as plain data: the compiler makes it, the interpreter runs it, the printer prints it. Each of its nouns has a
// file.

export type { Step } from "../value/json.ts";
export type * from "./action.ts";
export type * from "./attempts.ts";
export type * from "./config.ts";
export type * from "./dialect.ts";
export type * from "./expr.ts";
export type * from "./fills.ts";
export type * from "./hide.ts";
export type * from "./interface.ts";
export type * from "./interface-record.ts";
export type * from "./policies.ts";
export type * from "./response.ts";
export type * from "./span.ts";
export type * from "./start.ts";
export type * from "./start-form.ts";
export type * from "./tests.ts";
export type * from "./tools.ts";
export type * from "./transform.ts";
