// Types of records and values.
export type {
  /** An entry of `global.databases` that is asked in SQL. */
  DatabaseSource,
} from "../features/actions/database.ts";
export type {
  /** An entry of `global.databases` that is asked for documents. */
  DocumentSource,
} from "../features/actions/document_operation.ts";
export type {
  /** A value inside a printed validator, which checks it before it reads it. */
  Unchecked,
  /** A JSON Schema as a function. */
  Validator,
} from "../languages/schema/findings.ts";
export type {
  /** The plan of an interface that is interpreted (`disable_fastpath`). */
  InterfacePlan,
} from "../plan/index.ts";
export type {
  /** An entry of `global.secrets`. */
  SecretSource,
} from "../run/around/secrets.ts";
export type {
  /** The whole configuration: what an entry lists, and what triggers serve. */
  Config,
  /** One interface: its address, its settings, and `run`, which declares its actions. */
  Interface,
} from "../run/interface.ts";
export type {
  /** One run of one interface: the request, and the actions that it declares. */
  Run,
} from "../run/run.ts";
export type {
  /** A run, and the data that its actions leave, by their names. */
  RunOf,
} from "../run/run-of.ts";
export type {
  /** The entry of an action in the results of a loop; `Data` is what is known of its data. */
  ActionEntry,
  /** The answer of a service, as the action `http` gives it; `Body` is what is known of its body. */
  HttpAnswer,
} from "../shapes/answer.ts";
export type {
  /** Reads one field of the configuration when the process starts. */
  StartField,
} from "../start/fields.ts";
export type {
  /** A value as JSON knows it; data has no other type. */
  Json,
  /** A JSON object. */
  JsonObject,
} from "../value/json.ts";
export type {
  /** The features that the plan of an interpreted interface names. */
  Parts,
} from "../walk/walk.ts";
