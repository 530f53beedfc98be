import type { ErrorHandlerPlan } from "./attempts.ts";
import type { Dialect } from "./dialect.ts";
import type { Expr } from "./expr.ts";
import type { InterfacePlan } from "./interface.ts";
import type { RulesPlan } from "./policies.ts";
import type { Span } from "./span.ts";
import type { ConfigStartPlan } from "./start.ts";
import type { McpServerPlan } from "./tools.ts";

/** One configuration, ready to be printed or walked. */
export interface ConfigPlan {
  readonly name: string;
  /** Path of the source, relative to the project root, with forward slashes. */
  readonly file: string;
  readonly variables: readonly (readonly [string, Expr])[];
  /** The secrets, sorted so that each one stands behind the secrets that its settings read. */
  readonly secrets: readonly SecretPlan[];
  readonly databases: readonly DatabasePlan[];
  readonly expose_metrics?: true;
  readonly mcp_servers?: readonly McpServerPlan[];
  /** `docs: true`: its interfaces are in the API document. */
  readonly docs?: { readonly description?: string; readonly version?: string };
  /** Rules of the configuration, which interfaces inherit. */
  readonly network?: RulesPlan;
  readonly interfaces: readonly InterfacePlan[];
  readonly on_error?: ErrorHandlerPlan;
  /** The fields that are read when the process starts. */
  readonly start?: ConfigStartPlan;
  readonly needs: Needs;
  /** Names that it reads only with a default; absent where there are none. */
  readonly optional?: Needs;
}

export interface DatabasePlan {
  readonly name: string;
  readonly driver: string;
  readonly speaks: Dialect | "documents";
  /** A map expression: conn_string or the discrete fields, pool limits, timeout. */
  readonly settings: Expr;
  /** Secrets that the settings read. */
  readonly secrets?: readonly string[];
  readonly at?: Span;
}

/** An entry of `global.secrets`. */
export interface SecretPlan {
  readonly name: string;
  /** Name of a store. */
  readonly kind: string;
  readonly format: "raw" | "equal" | "json";
  /** A map expression: what the store needs, and `ttl` in milliseconds. */
  readonly settings: Expr;
  /** Secrets that the settings read. */
  readonly secrets?: readonly string[];
  readonly at?: Span;
}

/** The names that a config reads from outside; checked before the first run. */
export interface Needs {
  readonly env: readonly string[];
  readonly vars: readonly string[];
  readonly secrets: readonly string[];
}
